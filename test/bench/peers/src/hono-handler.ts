import { Hono } from 'hono'
import { handle } from 'hono/aws-lambda'
import { isKnown, type Store, unauthorized } from './list.ts'

/** A handler with Hono, whose way to reach DynamoDB is `store`. */
export const honoHandler = (store: Store) => {
  const app = new Hono()

  app.use(async (context, next) => {
    if (!(await isKnown(context.req.header('authorization'), store.readKey)))
      return context.json(unauthorized, 401)
    return next()
  })

  app.get('*', async (context) => context.json(await store.list(context.req.query('status') ?? '')))

  return handle(app)
}
