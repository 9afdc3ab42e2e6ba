// Loaded first by each npm script: npm ci installs the Node.js that runs TypeScript.
if (Number.parseInt(process.version.slice(1), 10) < 24) {
  console.error(
    `Node.js ${process.version} is too old: run npm ci with install scripts allowed, which adds ` +
      'Node.js 24, or use Node.js 24.',
  )
  process.exit(1)
}
