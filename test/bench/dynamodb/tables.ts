import { settings } from '../../../shared/data/tables.ts'

/** The names of the tables, by the variables that tell them to a function. */
export const tables = {
  [settings.petsTable]: 'Pets',
  [settings.apiKeysTable]: 'ApiKeys',
  [settings.idempotencyKeysTable]: 'IdempotencyKeys',
}
