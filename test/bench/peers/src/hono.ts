import { Hono } from 'hono'
import { handle } from 'hono/aws-lambda'
import { notFound, unauthorized } from './answers.ts'
import { isKnown } from './key-memory.ts'
import { stockStore } from './stock-store.ts'

const app = new Hono()

app.use(async (context, next) => {
  if (!(await isKnown(context.req.header('authorization'), stockStore.readKey))) return context.json(unauthorized, 401)
  return next()
})

app.get('/pets/:petId', async (context) => {
  const pet = await stockStore.readPet(context.req.param('petId'))
  return pet ? context.json(pet) : context.json(notFound, 404)
})

export const handler = handle(app)
