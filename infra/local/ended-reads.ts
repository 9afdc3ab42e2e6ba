import { Level } from 'level'

// dynalite reads through streams that end their iterators by `return`, as those of the language are ended. Level's know
// `close` alone: each query would stay open for good, and hold the store as it was then.
const stores: Pick<Level, 'attachResource'> = Object.getPrototypeOf(Level.prototype) // Of those in memory as well.
const { attachResource } = stores
stores.attachResource = function (resource) {
  attachResource.call(this, Object.assign(resource, { return: () => resource.close() }))
}
