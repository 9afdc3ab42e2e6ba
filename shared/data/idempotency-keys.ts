import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { dynamodb, type Options, putIf } from './dynamodb.ts'
import type { Reservation, ReservationStore } from './reserved-ids.ts'
import { setting } from './settings.ts'

/** For how long an idempotency key is remembered. DynamoDB deletes later, by up to two days, hence the condition. */
const REMEMBERED_SECONDS = 24 * 60 * 60

/** The reservation of the intent that has the digest `intent`. */
export const reservationOf = (intent: string, options: Options): ReservationStore => {
  const TableName = setting('idempotencyKeysTable')
  const itemOf = (reservation: Reservation) => ({ intent, ...reservation, expiresAt: now() + REMEMBERED_SECONDS })
  return {
    reserve: (reservation) =>
      putIf(
        {
          TableName,
          Item: itemOf(reservation),
          ConditionExpression: 'attribute_not_exists(intent) OR expiresAt <= :now',
          ExpressionAttributeValues: { ':now': now() },
        },
        options,
      ),
    read: async () => {
      const { Item } = await dynamodb.send(
        new GetCommand({ TableName, Key: { intent }, ConsistentRead: true }),
        options,
      )
      return Item as Reservation | undefined // The document client types every item as `any`; `itemOf` makes them.
    },
    move: (reservation, taken) =>
      putIf(
        {
          TableName,
          Item: itemOf(reservation),
          ConditionExpression: 'petId = :taken AND fingerprint = :fingerprint',
          ExpressionAttributeValues: { ':taken': taken, ':fingerprint': reservation.fingerprint },
        },
        options,
      ),
  }
}

const now = (): number => Math.floor(Date.now() / 1000)
