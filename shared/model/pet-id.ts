const EPOCH = Date.UTC(2024, 0, 1)
const IDS_PER_MILLISECOND = 4096

let last = 0

/**
 * A new id: 41 bits of milliseconds since 2024, then 12 random bits, so a positive integer that every JSON client holds
 * exactly (53 bits, until 2093). Ids sort by creation; within one process always, since none is below its last one.
 * Two processes may draw the same id in the same millisecond: whoever writes it first has it.
 *
 * @param now milliseconds since 1970
 */
export const newPetId = (now = Date.now()): number => {
  // Plain arithmetic: the shift operators cut their operands to 32 bits.
  const drawn = (now - EPOCH) * IDS_PER_MILLISECOND + Math.floor(Math.random() * IDS_PER_MILLISECOND)
  last = Math.max(drawn, last + 1)
  return last
}
