// Has each TLS connection trust the authority of the bench as well. Not by NODE_EXTRA_CA_CERTS, which Lambda does not set:
// with it Node.js reads the certificates that it comes with another way, and a first connection costs 6 ms of CPU less.
// JavaScript, since this is loaded into the process that is measured: stripping types would take time and memory there.
const { readFileSync } = require('node:fs')
const { Socket } = require('node:net')

const authority = readFileSync(process.env.BENCH_AUTHORITY)
const { connect } = Socket.prototype

// By the time that a socket of TLS connects it has its context, whoever loaded `node:tls`, and however.
Socket.prototype.connect = function (...args) {
  this._tlsOptions?.secureContext?.context.addCACert(authority)
  return connect.apply(this, args)
}
