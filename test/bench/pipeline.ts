import { operation } from '../../shared/operation.ts'

const PET = { id: 373117652410368, name: 'Rex', categoryId: 7, status: 'available' } as const

/** getPet without its read of a pet: what is left is the work of Middy, key check, validation and log. */
export const handler = operation('getPet', async () => ({ body: PET }))
