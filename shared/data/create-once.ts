/** Who made an animal: a request, and the reservation that it made it for. Stored with the animal, never returned. */
export type Origin = { creation: string; reservation?: string | undefined }

/** How an animal comes to its id: the first to try, and another one where that belongs to another animal. */
export type Ids = { first: () => Promise<number>; insteadOf: (taken: number) => Promise<number> }

/** Where animals are kept, as who makes one sees it. */
export type Place<Item> = {
  /** Puts the animal there under this id, unless the id is taken. */
  write: (id: number) => Promise<boolean>
  /** What is there under this id; it sees all that was written before. */
  read: (id: number) => Promise<(Item & Partial<Origin>) | undefined>
}

/**
 * Makes an animal, once: requests are sent again by clients, and puts by the SDK, when their answer is lost, although
 * they may have taken effect. So a put that is refused looks whose animal is there.
 *
 * @returns the animal's id; and, where an earlier request has made it, what is there
 */
export const createOnce = async <Item>(origin: Origin, ids: Ids, place: Place<Item>) => {
  let id = await ids.first()
  for (;;) {
    if (await place.write(id)) return { id }
    const there = await place.read(id)
    if (there?.creation === origin.creation) return { id }
    if (origin.reservation && there?.reservation === origin.reservation) return { id, there }
    // Only an animal that is seen, and of another origin, is a reason to take another id.
    if (there) id = await ids.insteadOf(id)
  }
}
