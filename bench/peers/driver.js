// Scanners that install from npm, on the texts of a JSON list: one line of JSON for each scanner.
//
// Read on standard input by `ringfence bench guards --peers`, in the folder that has `node_modules`; the list's path is the first
// argument. A scanner has so many seconds; what it got through until then counts. Loading is not timed.
const fs = require('node:fs')
const path = require('node:path')

const SECONDS = 25

const SCANNERS = {
  '@andersmyrmel/vard': async () => {
    const { default: vard } = await import('@andersmyrmel/vard')
    return async (text) => !vard.safe(text).safe
  },
  'llm-guard': async () => {
    const { LLMGuard } = require('llm-guard')
    const guard = new LLMGuard({ jailbreak: true, promptInjection: true })
    return async (text) => !(await guard.validate(text)).isValid
  },
}

function version(name) {
  const file = path.join(process.cwd(), 'node_modules', name, 'package.json')
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')).version : undefined
}

async function measured(name, load, texts) {
  const found = version(name)
  if (!found) return { name, absent: `not installed: npm install ${name}` }
  let flags
  try {
    flags = await load()
    await flags('a first text, to load what is loaded late')
  } catch (e) {
    return { name, absent: `does not load: ${e.name}` }
  }
  const [ns, flagged] = [[], []]
  const end = Date.now() + SECONDS * 1000
  for (const text of texts) {
    if (Date.now() > end) break
    const start = process.hrtime.bigint()
    let hit = false
    try {
      hit = Boolean(await flags(text))
    } catch {
      // A scanner that fails on a text lets it through.
    }
    ns.push(Number(process.hrtime.bigint() - start))
    flagged.push(hit)
  }
  return { name, version: found, ns, flagged }
}

async function main() {
  const texts = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'))
  // What a scanner prints is no line of ours.
  for (const word of ['log', 'info', 'warn', 'error', 'debug']) console[word] = () => {}
  for (const [name, load] of Object.entries(SCANNERS)) {
    process.stdout.write(JSON.stringify(await measured(name, load, texts)) + '\n')
  }
}

main()
