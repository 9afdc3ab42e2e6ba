import type { Int64, ListQuery, NewPet, Pet, Pets } from './interface.ts'

/** `signal` ends a call, whether it sends or waits; the call then throws the signal's reason. */
export type CallOptions = { signal?: AbortSignal | undefined }

/** Animals, newest first, over all pages. A page is asked for when the one before was read to its end. */
export type PetList = AsyncIterable<Pet> & {
  /** The same, page by page. */
  pages: () => AsyncIterable<Pets>
}

/** What can be done with animals. Each throws a PetStoreError where it fails. */
export type PetOperations = {
  /** Lists animals; `limit` is the size of a page. Nothing is sent before the list is read. */
  list: (query?: ListQuery, options?: CallOptions) => PetList
  /**
   * Adds an animal, once, however often that must be tried. With an `idempotencyKey` of your own, it is once also when
   * you call again, with the same animal, within 24 hours.
   */
  create: (newPet: NewPet, options?: CallOptions & { idempotencyKey?: string | undefined }) => Promise<Pet>
  /**
   * Reads one animal.
   * @deprecated The service stops to answer it on 5 December 2030. Use `list`.
   */
  get: (id: Int64, options?: CallOptions) => Promise<Pet>
}
