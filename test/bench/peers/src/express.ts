import serverlessExpress from '@codegenie/serverless-express'
import express from 'express'
import { notFound, unauthorized } from './answers.ts'
import { isKnown } from './key-memory.ts'
import { stockStore } from './stock-store.ts'

const app = express()

app.use(async (request, response, next) => {
  if (await isKnown(request.get('authorization'), stockStore.readKey)) return next()
  response.status(401).json(unauthorized)
})

app.get('/pets/:petId', async (request, response) => {
  const pet = await stockStore.readPet(request.params.petId)
  if (pet) response.json(pet)
  else response.status(404).json(notFound)
})

export const handler = serverlessExpress({ app })
