const order = {
  id: 'The unique identifier of the order, assigned by the service when it is placed.',
  petId: 'The identifier of the pet that is ordered.',
  complete: 'Whether the order is complete.',
}

/** What the reference says of orders. No function loads it. */
export const orderTexts = {
  operations: {
    listOrders: 'Returns a page of all orders.',
    placeOrder:
      'Orders a pet. Only a pet with the status `available` can be ordered; it is `pending` from then on. Of any number of requests for a pet, one gets it, and all others get a 409.',
    getOrder: 'Returns the order with this identifier.',
    updateOrder:
      'Completes the order; its pet is `sold` from then on. A complete order cannot be changed any more. Completing it again changes nothing.',
    cancelOrder:
      'Deletes an order that is not complete; its pet is `available` again. From then on, every request for the order gets a 404.',
  },
  fields: { NewOrder: order, OrderChanges: order, Order: order },
  parameters: { orderId: 'The identifier of the order.' },
} as const
