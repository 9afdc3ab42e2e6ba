import { Hono } from 'hono'
import { handle } from 'hono/aws-lambda'
import { store } from './aws-sdk.ts'
import { isKnown, unauthorized } from './list.ts'

const app = new Hono()

app.use(async (context, next) => {
  if (!(await isKnown(context.req.header('authorization'), store.readKey)))
    return context.json(unauthorized, 401)
  return next()
})

app.get('*', async (context) => context.json(await store.list(context.req.query('status') ?? '')))

export const handler = handle(app)
