import fc from 'fast-check'
import type { Part } from './request.ts'

const GOOD = ['application/json', 'APPLICATION/JSON', 'application/json ; charset=utf-8', 'application/vnd.api+json']
const BAD = [
  '',
  'json',
  'text/plain',
  'text/json',
  'application/jsonx',
  'application/json, text/plain',
  'multipart/form-data; boundary=a',
]

type ContentType = Part<{ headers: Record<string, string | string[]> }>

const none: ContentType = { headers: {}, refused: 'always' }

// One of them counts.
const two: ContentType = { headers: { 'Content-Type': ['application/json', 'text/plain'] }, refused: 'maybe' }

/** What a request says that its body is: mostly JSON. */
export const contentType: fc.Arbitrary<ContentType> = fc.oneof(
  {
    weight: 24,
    arbitrary: fc
      .constantFrom(...GOOD)
      .map((type): ContentType => ({ headers: { 'Content-Type': type }, refused: 'never' })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(...BAD)
      .map((type): ContentType => ({ headers: { 'content-type': type }, refused: 'always' })),
  },
  { weight: 2, arbitrary: fc.constantFrom(none, two) },
)
