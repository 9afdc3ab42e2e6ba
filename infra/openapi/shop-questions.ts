/** What a shop asks, each with one command: a page of the guide. test/guide runs the commands. */
export const shopQuestions = `\
**What a shop asks.** Each question takes one command, in bash or zsh. If a list has more
pages, the header \`Link\` has the address of the next one. First, once:

\`\`\`sh
API='<address>' KEY='<API_KEY>' PET='<petId>' ORDER='<orderId>'
api() { curl -sSiw '\\n' --oauth2-bearer "$KEY" -H 'Content-Type: application/json' "$@"; }
\`\`\`

Which pets are available?

\`\`\`sh
api "$API/pets?status=available"
\`\`\`

Which order holds this pet? The newest one, which comes first, if it is not complete.

\`\`\`sh
api "$API/store/orders?petId=$PET"
\`\`\`

Which orders are open, and since when? See \`placedAt\`.

\`\`\`sh
api "$API/store/orders?complete=false"
\`\`\`

What was sold on a day (in UTC)? For operators, in a checkout. It needs
[jq](https://jqlang.org).

\`\`\`sh
npm run export -- orders orders.jsonl --stage staging &&
  jq -c 'select(.completedAt // "" | startswith("2026-11-27"))' orders.jsonl
\`\`\`

A customer no longer wants a pet: cancel the open order. The pet is available again.

\`\`\`sh
api "$API/store/orders/$ORDER" -X DELETE
\`\`\`

A customer brings a sold pet back. Its order stays as it is.

\`\`\`sh
api "$API/pets/$PET" -X PATCH -d '{"status":"available"}'
\`\`\`

The name of a pet is wrong.

\`\`\`sh
api "$API/pets/$PET" -X PATCH -d '{"name":"Max"}'
\`\`\`

Nobody may order a pet today. Tomorrow, make it \`available\` again.

\`\`\`sh
api "$API/pets/$PET" -X PATCH -d '{"status":"pending"}'
\`\`\`
`
