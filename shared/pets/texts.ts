const pet = {
  id: 'The unique identifier of the pet, assigned by the service when the pet is added.',
  name: "The pet's name.",
  categoryId: 'The identifier of the category that the pet belongs to.',
  status: 'The availability status of the pet.',
}

/** What the reference says of pets. No function loads it. */
export const petTexts = {
  operations: {
    listPets: 'Returns a page of all pets, or of those with a status.',
    createPet: 'Adds a pet, and returns it with the `id` that the service assigned.',
    getPet:
      'Returns the pet with this identifier. A pet can be read as soon as it has been added. An identifier that is not an int64 gets the same response as an unknown one: 404. When this operation is removed, only `createPet` and `updatePet` return the `ETag` of a pet.',
    updatePet:
      'Replaces the fields that the body has, and returns the whole pet (JSON merge patch, RFC 7396). The body must have at least one of `name`, `categoryId` and `status`. A `status` of `null` removes the status. Without `If-Match`, the last of several requests that change a field at the same time wins. While a pet has an open order, its status cannot be changed: 409.',
    deletePet:
      'Deletes the pet. From then on, every request for it gets a 404. A retry of the request that added the pet does not bring it back. A pet with an open order cannot be deleted: 409.',
  },
  fields: { NewPet: pet, PetChanges: pet, Pet: pet },
  parameters: {
    petId: 'The identifier of the pet.',
    'listPets.status': 'Returns only pets with this status.',
  },
} as const
