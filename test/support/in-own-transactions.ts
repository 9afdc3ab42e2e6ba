import { runTransaction } from '../../shared/data/run-transaction.ts'
import type { Transaction } from '../../shared/data/transaction.ts'

/** A function of a collection without its transaction; anything else as it is. */
type InOwnTransactions<Member> = Member extends (
  tx: Transaction,
  ...rest: infer Rest
) => Promise<infer Result>
  ? (...rest: Rest) => Promise<Result>
  : Member

/** The functions of a collection or a resource, each call in a transaction of its own. */
export const inOwnTransactions = <Collection extends object>(
  collection: Collection,
): { [K in keyof Collection]: InOwnTransactions<Collection[K]> } => {
  const members = Object.entries(collection).map(([name, member]) => [
    name,
    typeof member !== 'function' || name === 'upgradedItem' // It needs no transaction.
      ? member
      : (...rest: unknown[]) => runTransaction((tx) => member(tx, ...rest)),
  ])
  return Object.fromEntries(members) // It loses the names of the members.
}
