// Preloaded into processes that a test starts. When the process that started them ends, even by SIGKILL, the operating
// system closes their standard input, and so they end too.
process.stdin
  .on('end', () => process.exit())
  .resume()
  .unref()
