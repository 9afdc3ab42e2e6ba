/** What every operation's function is given. Here without CDK: the local server keeps to the same time limit. */
export const functionSettings = {
  // DynamoDB gets at most 3 s for the key check and 3 s for the operation, after which the function answers 503 by
  // itself. Lambda's own limit, which answers without the Error body, must never come first: not after a slow start.
  timeoutSeconds: 10,
  // CPU comes with memory (a whole one at 1,769 MB), and a start is nothing but CPU. A request mostly waits, so the
  // time that the memory is paid for is short: for 10 ms, less than what Lambda takes for the request itself.
  memoryMegabytes: 1024,
} as const
