// For `@aws-sdk/credential-provider-node`, which asks many places in turn for credentials. Lambda gives a function its
// role's in the environment, and nowhere else. Setting `credentials` on the client would bundle the chain all the same.
// listPets: 361 to 226 KB, 39.6 to 30.8 ms to load.
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env'
