import awsLambdaFastify from '@fastify/aws-lambda'
import fastify from 'fastify'
import { notFound, unauthorized } from './answers.ts'
import { isKnown } from './key-memory.ts'
import { stockStore } from './stock-store.ts'

const app = fastify()

app.addHook('onRequest', async (request, reply) => {
  if (!(await isKnown(request.headers.authorization, stockStore.readKey))) return reply.code(401).send(unauthorized)
})

app.get<{ Params: { petId: string } }>('/pets/:petId', async (request, reply) => {
  const pet = await stockStore.readPet(request.params.petId)
  return pet ?? reply.code(404).send(notFound)
})

export const handler = awsLambdaFastify(app)
