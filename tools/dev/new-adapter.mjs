// node tools/dev/new-adapter.mjs PORT VENDOR: starts the adapter of a new vendor as a copy of the port's shortest one, with its stub
// in the sandbox and its entry in the contract suite, and prints what is left to do. A copy of living code cannot fall behind the
// ports as a template does. docs/adding-a-provider.md leads through the rest.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { install } from '../bootstrap.mjs';
import { formatted, writeTo } from '../files.mjs';
import { root } from '../workspace.mjs';

const USERS = 'apps/users-service';
const STUBS = 'apps/sandbox/src/vendors';

/** By port: the vendor whose adapter is copied, the feature, its stub, and the suite that every adapter passes. */
const PORTS = {
  pan: ['setu', 'kyc/pan', 'setu/setu-pan', 'kyc/pan'],
  bank: ['setu', 'banking/verification', 'setu/setu-bank', 'banking/bank'],
  locker: ['setu', 'kyc/ekyc', 'setu/setu-locker', 'kyc/locker'],
  ekyc: ['cashfree', 'kyc/ekyc', 'cashfree/cashfree-form', 'kyc/hosted'],
  sms: ['twilio', 'integrations/sms', 'twilio/twilio', 'integrations/sms'],
};

function partsOf(name) {
  const [source, feature, stub, suite] = PORTS[name];
  const adapter = `${USERS}/src/${feature}/adapters/${name === 'ekyc' ? 'cashfree-link' : source}`;
  const contract = `${USERS}/test/${suite}-contract.spec.ts`;
  const account = `${USERS}/src/integrations/vendors/${source}/${source}.ts`;
  return { source, adapter, stub: `${STUBS}/${stub}.controller.ts`, account, contract };
}

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

/** Returns FILES, all files of SOURCE that they import, directly or not, and the README beside each. */
function withImports(files, source) {
  const found = new Set(files);
  for (const file of found)
    for (const [, target] of read(file).matchAll(/ from '(\.[^']+)\.js'/g)) {
      const path = join(dirname(file), `${target}.ts`);
      if (path.includes(source)) found.add(path);
    }
  const pages = [...found].map((file) => `${dirname(file)}/README.md`).filter(isThere);
  return [...new Set([...found, ...pages])];
}

function copyOf(file, source, vendor) {
  const notice = `Copied from ${file}: replace everything that is ${capitalized(source)}'s, then delete this line.`;
  const head = file.endsWith('.md') ? `<!-- ${notice} -->` : `// ${notice}`;
  return `${head}\n\n${renamed(read(file), source, vendor)}`;
}

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

/** Returns the new texts by path. @throws Error for an adapter that exists */
function started({ source, adapter, stub, account, contract }, vendor) {
  const of = (path) => renamed(path, source, vendor);
  const sources = readdirSync(join(root, adapter)).filter((name) => name.endsWith('.ts'));
  const own = [...sources.map((name) => `${adapter}/${name}`), stub];
  const existing = own.map(of).find(isThere);
  if (existing) throw new Error(`${existing} exists already.`);
  // other ports of the vendor may have brought the rest
  const ofVendor = isThere(account) ? [account] : [];
  const copied = withImports([...own, ...ofVendor], source).filter((file) => !isThere(of(file)));
  const texts = copied.map((file) => [of(file), copyOf(file, source, vendor)]);
  return new Map([...texts, [contract, withEntry(read(contract), source, vendor)]]);
}

/** The files beside the copied ones that mention SOURCE, with the numbers of the lines. */
function mentions(source) {
  const folders = ['apps', 'deploy', 'docker', 'docs', 'tools/dev'];
  const others = [
    `:!*${source}*/*`,
    ':!*-contract.spec.ts',
    ':!docs/adr',
    ':!*/openapi/*',
    ':!*new-adapter*',
  ];
  const list = ['grep', '-niE', `\\b${source}\\b|${source}_`, '--', ...folders, ...others];
  const { stdout } = spawnSync('git', list, { cwd: root, encoding: 'utf8' });
  const lines = new Map();
  for (const [, file, line] of stdout.matchAll(/^(.+?):(\d+):/gm))
    lines.set(file, [...(lines.get(file) ?? []), line]);
  return [...lines].map(([file, numbers]) => `  ${file}: ${numbers.join(', ')}`);
}

async function main([name, vendor, ...rest]) {
  if (!Object.hasOwn(PORTS, name ?? '') || rest.length > 0 || !/^[a-z][a-z0-9]{1,29}$/.test(vendor ?? ''))
    throw new Error(
      `Usage: node tools/dev/new-adapter.mjs PORT VENDOR\n  PORT: ${Object.keys(PORTS).join(', ')}\n  VENDOR: lower-case letters and digits, such as acme`,
    );
  const parts = partsOf(name);
  const texts = started(parts, vendor);
  const remaining = mentions(parts.source);
  await install();
  for (const [path, text] of texts) writeTo(join(root, path), await formatted(join(root, path), text));
  console.log(`Written, as a copy of ${parts.source}:\n${[...texts.keys()].map((path) => `  ${path}`).join('\n')}

Left to do (docs/adding-a-provider.md). These lines mention ${parts.source}; where they register it, add ${vendor} for this port:
${remaining.join('\n')}`);
}

await main(process.argv.slice(2)).catch((error) => {
  console.error(error.message);
  process.exitCode = 2;
});
