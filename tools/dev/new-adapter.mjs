// node tools/dev/new-adapter.mjs PORT VENDOR: starts the adapter of a new vendor as a copy of the port's shortest one, with its stub
// in the sandbox and its entry in the contract suite, and prints what is left to do. A copy of living code cannot fall behind the
// ports as a template does. docs/adding-a-provider.md leads through the rest.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { install } from '../bootstrap.mjs';
import { FAILURES, PORTS } from './adapter-ports.table.mjs';
import { formatted, writeTo } from '../files.mjs';
import { root } from '../workspace.mjs';

const capitalized = (name) => name.charAt(0).toUpperCase() + name.slice(1);
const read = (path) => readFileSync(join(root, path), 'utf8');
const isThere = (path) => existsSync(join(root, path));

/** Returns TEXT about SOURCE as one about VENDOR. The types of SOURCE's settings stay: they exist until VENDOR's are registered. */
function renamed(text, source, vendor) {
  const forms = [
    [source, vendor],
    [capitalized(source), capitalized(vendor)],
    [source.toUpperCase(), vendor.toUpperCase()],
  ];
  const kept = [`${capitalized(source)}Account`, `kind: '${source}'`];
  // longer ones first; "setup" is no vendor
  const either = [...kept, ...forms.map(([form]) => form)].join('|');
  return text.replaceAll(new RegExp(`(${either})(?!p)`, 'g'), (found) => new Map(forms).get(found) ?? found);
}

/** Returns FILES and all files of SOURCE that they import, directly or not. */
function withImports(files, source) {
  const found = new Set(files);
  for (const file of found)
    for (const [, target] of read(file).matchAll(/ from '(\.[^']+)\.js'/g)) {
      const path = join(dirname(file), `${target}.ts`);
      if (path.includes(source)) found.add(path);
    }
  return [...found];
}

const copyOf = (file, source, vendor) =>
  `// Copied from ${file}: replace everything that is ${capitalized(source)}'s, then delete this line.\n\n` +
  renamed(read(file), source, vendor);

/** Returns the contract suite with a copy of SOURCE's entry for VENDOR. */
function withEntry(suite, source, vendor) {
  const entry = new RegExp(`^  ${source}: \\{\n[^]*?^  \\},\n`, 'm');
  const [copied] = entry.exec(suite) ?? [];
  if (!copied) throw new Error(`The contract suite has no entry of ${source}.`);
  // of the vendor's own test environment, which is registered later
  const withoutPlace = copied.replace(/^ {4}place: .*\n/m, '');
  const names = new RegExp(`(const PROVIDERS: Readonly<Record<[^>]*?'${source}')`);
  return suite
    .replace(entry, `${copied}${renamed(withoutPlace, source, vendor)}`)
    .replace(names, (known) => `${known} | '${vendor}'`);
}

const rows = (names) => names.map((name) => `| TODO | \`${name}\` |`).join('\n');

const adapterPage = ({ title, outcomes, account }, vendor) => `# ${title} at ${capitalized(vendor)}

TODO: the calls, with what each sends, and a link to their documentation.

## Settings

${account ? `Account, credentials and general errors: its page in \`src/integrations/vendors/${vendor}\`. ` : ''}TODO: the settings of this product.

## Outcomes and codes

| response | outcome |
| -------- | ------- |
${rows([...outcomes, ...FAILURES])}

## Webhooks

TODO: which they send and how they are signed, or that there are none.

## Cost of a retry

TODO, for each call: what a second call with the same reference does and costs; how a lost answer is found.

## To be confirmed with an account

TODO: everything above that their documentation leaves open.
`;

const accountPage = (vendor) => `# ${capitalized(vendor)}

Shared by the adapters of all its products: URL, credentials and the meaning of errors.

| setting | meaning |
| ------- | ------- |
| \`${vendor.toUpperCase()}_URL\` | TODO: the URL in production, and the one of their sandbox |

| response | failure |
| -------- | ------- |
${rows(FAILURES)}

To be confirmed with an account: TODO.
`;

/** Returns the new texts by path. @throws Error for an adapter that exists */
function started(port, vendor) {
  const { source, adapter, stub, account, contract } = port;
  const of = (path) => renamed(path, source, vendor);
  const sources = readdirSync(join(root, adapter)).filter((name) => name.endsWith('.ts'));
  const own = [...sources.map((name) => `${adapter}/${name}`), stub];
  const existing = own.map(of).filter(isThere);
  if (existing.length > 0) throw new Error(`${existing[0]} exists already.`);
  // other ports of the vendor may have brought the rest
  const shared = withImports([...own, ...(account ? [account] : [])], source).filter(
    (file) => own.includes(file) || !isThere(of(file)),
  );
  const texts = new Map(shared.map((file) => [of(file), copyOf(file, source, vendor)]));
  texts.set(`${of(adapter)}/README.md`, adapterPage(port, vendor));
  const page = account && `${dirname(of(account))}/README.md`;
  if (page && !isThere(page)) texts.set(page, accountPage(vendor));
  texts.set(contract, withEntry(read(contract), source, vendor));
  return texts;
}

/** The numbers of the lines in FILE that mention SOURCE. */
const linesAbout = (file, source) =>
  read(file)
    .split('\n')
    .flatMap((line, index) => (line.toLowerCase().includes(source) ? [index + 1] : []));

function leftToDo({ source, registrations }, vendor) {
  const lines = registrations
    .map((file) => [file, linesAbout(file, source)])
    .filter(([, numbers]) => numbers.length > 0)
    .map(
      ([file, numbers]) => `  ${file}${/(?<!\.spec)\.(ts|mjs)$/.test(file) ? `: ${numbers.join(', ')}` : ''}`,
    );
  return [
    `Left to do (docs/adding-a-provider.md). These lines register ${source}; add the same for ${vendor}, of this port alone:`,
    ...lines,
  ].join('\n');
}

async function main([name, vendor, ...rest]) {
  const port = Object.hasOwn(PORTS, name ?? '') ? PORTS[name] : undefined;
  if (!port || rest.length > 0 || !/^[a-z][a-z0-9]{1,29}$/.test(vendor ?? ''))
    throw new Error(
      `Usage: node tools/dev/new-adapter.mjs PORT VENDOR\n  PORT: ${Object.keys(PORTS).join(', ')}\n  VENDOR: lower-case letters and digits, such as acme`,
    );
  await install();
  const texts = started(port, vendor);
  const remaining = leftToDo(port, vendor);
  for (const [path, text] of texts) {
    const file = join(root, path);
    writeTo(file, await formatted(file, text));
  }
  const written = [...texts.keys()].map((path) => `  ${relative('.', path)}`);
  console.log(`Written, as a copy of ${port.source}:\n${written.join('\n')}\n\n${remaining}`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error.message);
  process.exitCode = 2;
}
