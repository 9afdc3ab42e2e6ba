import fc from 'fast-check'

/** Any text that may stand in a header: one character a byte, none of them a control character. */
export const headerText = (maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.oneof(character(0x20, 0x7e), character(0x80, 0xff)), maxLength })

const character = (min: number, max: number) => fc.integer({ min, max }).map((code) => String.fromCharCode(code))
