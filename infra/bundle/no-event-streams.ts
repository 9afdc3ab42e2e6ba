// For `@smithy/core/event-streams`, which the SDK imports when an operation sends or receives a stream of events. None
// of DynamoDB's does. With endpoint discovery and checksum: listPets 226 to 194 KB, 30.8 to 20.6 ms to load.
export {}
