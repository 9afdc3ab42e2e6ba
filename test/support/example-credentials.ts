/**
 * AWS credentials that are good for nothing, since they are those of AWS's documentation. Tests have them in their
 * environment, so that none of a person's get there, and so that these are recognised wherever they were printed.
 */
export const exampleCredentials = {
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  AWS_SESSION_TOKEN: 'IQoJb3JpZ2luX2VjEXAMPLETOKEN',
}
