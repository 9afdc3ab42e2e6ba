import type { Figure } from '../figure.ts'

/** The value of a figure; NaN where it was not measured. */
export type Find = (table: Figure['table'], of: string, name: string) => number

type Goal = { figure: string; measure: (find: Find) => number; atMost: number; aim?: number }

const functions = ['listPets', 'createPet', 'getPet']

/** The highest of our functions. */
const highest = (find: Find, name: string, how = ''): number =>
  Math.max(...functions.map((of) => find('cold', of + how, name)))

// Of the two ways in which it is bundled, that in which it is faster. The demo is bundled as its authors do, by default.
const STOCK = 'stock client, module,main'
const DEMO = 'demo style'

const callsOf = (of: string) => (find: Find) => find('data', of, 'calls, warm')

const pageKinds = ['first', 'middle', 'last'].flatMap((place) => [`${place}, all`, `${place}, one status`])

const pageGrowth = (find: Find): number => {
  const page = (pets: string, kind: string) => find('data', `page of 20 of ${pets} pets, ${kind}`, 'page')
  return Math.max(...pageKinds.map((kind) => page('200,000', kind) / page('100', kind)))
}

/** What is to be reached, and how it follows from the figures. */
export const goals: Goal[] = [
  {
    figure: 'load, slowest function without its first read ÷ stock client',
    measure: (find) => highest(find, 'load', ', no first read') / find('cold', STOCK, 'load'),
    atMost: 0.65,
    aim: 0.35,
  },
  {
    figure: 'load + first call, getPet ÷ demo style',
    measure: (find) => find('cold', 'getPet', 'load + first call') / find('cold', DEMO, 'load + first call'),
    atMost: 0.35,
    aim: 0.2,
  },
  { figure: 'largest bundle, KB', measure: (find) => highest(find, 'bundle'), atMost: 200, aim: 40 },
  {
    figure: 'first call after init, getPet ÷ stock client',
    measure: (find) => find('cold', 'getPet', 'first call after init') / find('cold', STOCK, 'first call after init'),
    atMost: 0.35,
  },
  {
    figure: 'warm p50, getPet ÷ stock document client',
    measure: (find) => find('warm', 'getPet', 'p50') / find('warm', 'stock document client, module,main', 'p50'),
    atMost: 1,
    aim: 0.5,
  },
  {
    figure: 'added by Middy, auth, validation and log, µs',
    measure: (find) => find('warm', 'pipeline of getPet, alone', 'CPU'),
    atMost: 15,
  },
  // A list covers four partitions, or the one of its status. None of these calls is for the key, which is remembered.
  { figure: 'DynamoDB calls of a warm list, one status', measure: callsOf('listPets, one status'), atMost: 1 },
  { figure: 'DynamoDB calls of a warm list, all', measure: callsOf('listPets, all'), atMost: 4 },
  { figure: 'DynamoDB calls of a warm create', measure: callsOf('createPet'), atMost: 1 },
  { figure: '… with Idempotency-Key', measure: callsOf('createPet with Idempotency-Key'), atMost: 2 },
  { figure: 'DynamoDB calls of a warm read', measure: callsOf('getPet'), atMost: 1 },
  {
    figure: 'read units of a page of 20, one status',
    measure: (find) => find('data', 'listPets, one status', 'read units'),
    atMost: 0.5,
  },
  { figure: '… of all', measure: (find) => find('data', 'listPets, all', 'read units'), atMost: 2 },
  { figure: 'write units of a create', measure: (find) => find('data', 'createPet', 'write units'), atMost: 2 },
  { figure: 'read units of a read', measure: (find) => find('data', 'getPet', 'read units'), atMost: 1 },
  { figure: 'page time, 200,000 ÷ 100 pets, slowest page', measure: pageGrowth, atMost: 1.3 },
]
