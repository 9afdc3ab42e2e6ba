const order = {
  id: 'The unique identifier of the order, assigned by the service when it is placed.',
  petId: 'The identifier of the pet that is ordered.',
  complete: 'Whether the order is complete.',
}

/** What the reference says of orders. No function loads it. */
export const orderTexts = {
  operations: {
    listOrders:
      'Returns orders, newest first. If there are more orders than `limit`, the `Link` header contains the URL of the next page. An order that was placed a moment ago may not be listed yet.',
    placeOrder:
      'Orders a pet. Only a pet with the status `available` can be ordered; it is `pending` from then on. Of any number of requests for a pet, one gets it, and all others get a 409. To retry a request without placing a second order, send an `Idempotency-Key` and repeat it with each retry.',
    getOrder: 'Returns the order with this identifier.',
    updateOrder:
      'Completes the order; its pet is `sold` from then on. A complete order cannot be changed any more. Completing it again changes nothing.',
    cancelOrder:
      'Deletes an order that is not complete; its pet is `available` again. From then on, every request for the order gets a 404.',
  },
  fields: { NewOrder: order, OrderChanges: order, Order: order },
  parameters: { orderId: 'The identifier of the order.' },
} as const
