import { Hono } from 'hono'
import { handle } from 'hono/aws-lambda'
import { isKnown, notFound, unauthorized } from './get-pet.ts'
import { store } from './stock-client.ts'

const app = new Hono()

app.use(async (context, next) => {
  if (!(await isKnown(context.req.header('authorization'), store.readKey))) return context.json(unauthorized, 401)
  return next()
})

app.get('/pets/:petId', async (context) => {
  const pet = await store.readPet(context.req.param('petId'))
  return pet ? context.json(pet) : context.json(notFound, 404)
})

export const handler = handle(app)
