/** Where the interface is described, below the base address: for programs, and for people. */
export const referencePaths = { document: '/openapi.json', page: '/docs' } as const

/** What may be sent there. All else is answered 404. */
export const referenceMethods = ['GET', 'OPTIONS']
