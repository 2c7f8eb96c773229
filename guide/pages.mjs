// Puts the sources of the site together: pages of the repository with their links rewritten, and pages of the API and the errors.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { apiPages, errorIndex, errorPages, exampleOf, exchangeOf, operationsOf } from './api-pages.mjs';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
export const pagesFolder = join(root, 'guide/.pages');
const read = (path) => readFileSync(join(root, path), 'utf8');
const readJson = (path) => JSON.parse(read(path));

const SERVICES = ['users-service', 'master-service'];

const titleOf = (path) => /^# (.+)$/m.exec(read(path))[1];
const markdownIn = (folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `${folder}/${name}`);

/** Groups of pages of the repository: [page of the site, file]. */
const GROUPS = [
  {
    text: 'Start here',
    pages: [
      ['quickstart', 'docs/integrators/quickstart.md'],
      ['basics', 'docs/integrators/README.md'],
      ['steps', 'docs/integrators/journey.md'],
      ['polling', 'docs/integrators/polling.md'],
      ['events', 'docs/integrators/events.md'],
      ['testing', 'docs/integrators/testing.md'],
      ['going-live', 'docs/integrators/going-live.md'],
      ['versioning', 'docs/integrators/versioning.md'],
      ['client', 'libs/client/README.md'],
    ],
  },
  {
    text: 'Operate',
    pages: [
      ...[
        'deployment',
        'settings',
        'release',
        'capacity',
        'trust',
        'operations-keys',
        'metrics',
        'security',
        'compliance',
        'user-data',
        'name-matching',
        'partners',
        'performance',
      ].map((name) => [`operate/${name}`, `docs/${name}.md`]),
      ['operate/kubernetes', 'docs/kubernetes.md'],
      ['operate/manifests', 'deploy/README.md'],
      ['operate/containers', 'docker/README.md'],
      ['operate/users-service', 'apps/users-service/README.md'],
      ['operate/master-service', 'apps/master-service/README.md'],
      ...markdownIn('docs/runbooks').map((path) => [
        `runbooks/${basename(path) === 'README.md' ? 'index' : basename(path, '.md')}`,
        path,
      ]),
    ],
  },
  {
    text: 'Build',
    pages: [
      ['build/repository', 'README.md'],
      ['build/documentation', 'docs/README.md'],
      ['build/contributing', 'docs/CONTRIBUTING.md'],
      ...[
        'architecture',
        'lock-order',
        'glossary',
        'adding-an-endpoint',
        'adding-an-issuer',
        'adding-a-provider',
      ].map((name) => [`build/${name}`, `docs/${name}.md`]),
      ['build/sandbox', 'apps/sandbox/README.md'],
      ['build/console', 'apps/console/README.md'],
      ['build/catalogue', 'apps/master-service/catalogue/README.md'],
      ...[
        'libs/errors',
        'libs/contracts',
        'libs/envelope',
        'libs/platform',
        'libs/testing',
        'libs/fuzzing',
        'libs/browser-testing',
        'tools',
        'bench',
        'guide',
      ].map((folder) => [`build/${folder}`, `${folder}/README.md`]),
      ['decisions/index', 'docs/adr/README.md'],
      ...markdownIn('docs/adr')
        .filter((path) => path !== 'docs/adr/README.md')
        .map((path) => [`decisions/${basename(path, '.md')}`, path]),
    ],
  },
];

/** Files of the repository that are another page of the site. */
const ELSEWHERE = {
  'docs/integrators/errors.md': '/errors/',
  'docs/integrators/errors.json': '/errors/',
  'docs/openapi': '/api/users/login',
  'docs/journey.md': '/issuers/',
  'docs/adr': '/decisions/',
  'docs/runbooks': '/runbooks/',
  'docs/integrators': '/basics',
};

const addresses = new Map([
  ...GROUPS.flatMap(({ pages }) =>
    pages.map(([page, path]) => [path, `/${page.replace(/(^|\/)index$/, '$1')}`]),
  ),
  ...Object.entries(ELSEWHERE),
]);

/** A link of the page PATH: to a page of the site, elsewhere, or, for another file of the repository, no link. */
function turned(path, label, target) {
  if (/^(https?:|mailto:|#|\/)/.test(target)) return `[${label}](${target})`;
  const [file, hash] = target.split('#');
  const found = normalize(join(dirname(path), file)).replace(/\/$/, '');
  if (!existsSync(join(root, found))) throw new Error(`${path} links to ${target}, which does not exist`);
  const address = addresses.get(found) ?? addresses.get(`${found}/README.md`);
  // a file's name says little on a site
  const said = /\.(md|json)$/.test(label) && found.endsWith('.md') ? titleOf(found) : label;
  if (!address) return said;
  return `[${said}](${address}${hash && !address.startsWith('/errors') ? `#${hash}` : ''})`;
}

function turnedLinks(path, text) {
  const said = text.replace(/<!--(?! (?:example:|magic|end of ))[\s\S]*?-->\n*/g, '');
  const link = /\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g;
  return said
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part, index) =>
      index % 2 === 0 ? part.replace(link, (_, label, target) => turned(path, label, target)) : part,
    )
    .join('');
}

function write(page, text) {
  const file = join(pagesFolder, `${page}.md`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Turns each recorded exchange into tabs, and `<!-- magic values -->` into their table. */
const withExamples = (text, { documents, examples }) =>
  text
    .replace(
      /<!-- magic values -->[^]*?<!-- end of magic values -->/,
      () => /^\| input[\s\S]*/m.exec(read('docs/integrators/errors.md'))[0],
    )
    .replace(/<!-- example: (\w+ \S+) (\w+) -->\n[^]*?<!-- end of example -->/g, (_, call, which) => {
      const { service, exchange } = exchangeOf(examples, call, which);
      const { operation } = operationsOf(documents[service]).find((one) => one.call === exchange.call);
      return exampleOf(service, operation, exchange);
    });

/** The name of each step, and its heading on the page /steps. */
const STEPS = {
  LOGIN: ['Log in', '#login'],
  HOME: ['Home', '#the-next-step'],
  FD_DETAIL: ['Choose a deposit', '#the-next-step'],
  LEAD: ['Create the lead', '#lead-and-kyc-context'],
  KYC_CONTEXT: ['Answer the KYC questions', '#lead-and-kyc-context'],
  PAN: ['Verify the PAN', '#pan'],
  EKYC: ['Complete eKYC', '#ekyc-on-a-hosted-page'],
  EMAIL: ['Verify the email address', '#email'],
  PERSONAL_DETAILS: ['Give personal details', '#personal-details'],
  BANK: ['Link a bank account', '#bank-account'],
  NOMINEE: ['Name a nominee', '#nominee'],
};

/** One page for each issuer, from docs/journey.md, and one for all. */
function issuerPages() {
  const [intro, ...sections] = read('docs/journey.md').split(/^## /m);
  const pages = [];
  const rest = [];
  for (const section of sections) {
    const issuer = /^(.+) \(`([a-z-]+)`\)\n/.exec(section);
    if (!issuer) {
      rest.push(`## ${section}`);
      continue;
    }
    const [head, name, slug] = issuer;
    const steps = [...new Set([...section.matchAll(/(\w+)\[\1\]/g)].map(([, step]) => step))];
    const list = steps
      .map((step, index) => `${index + 1}. [${STEPS[step][0]}](/steps${STEPS[step][1]}) (\`${step}\`)`)
      .join('\n');
    pages.push({
      path: `issuers/${slug}`,
      title: name,
      text: `# ${name}\n\nThe journey with \`${slug}\`. Each step in detail: [step by step](/steps). Current step: [\`GET /issuer-apis/${slug}/v1/journey\`](/api/users/journey).\n\n${section.slice(head.length)}\n\n## In words\n\n${list}\n`,
    });
  }
  const links = pages.map(({ path, title }) => `- [${title}](/${path})`).join('\n');
  pages.unshift({
    path: 'issuers/index',
    title: 'All issuers',
    text: turnedLinks('docs/journey.md', `${intro}\n${links}\n\n${rest.join('')}`),
  });
  return pages;
}

/** Writes all pages below .pages; returns the sidebars by the folder that shows them. */
export function composePages() {
  rmSync(pagesFolder, { recursive: true, force: true });
  const documents = Object.fromEntries(SERVICES.map((name) => [name, readJson(`docs/openapi/${name}.json`)]));
  const examples = Object.fromEntries(
    SERVICES.map((name) => [name, readJson(`apps/${name}/openapi/examples.json`)]),
  );
  const index = readJson('docs/integrators/errors.json');

  const groups = GROUPS.map(({ text, pages }) => ({
    text,
    items: pages.map(([page, path]) => {
      write(page, withExamples(turnedLinks(path, read(path)), { documents, examples }));
      return { text: titleOf(path), link: `/${page.replace(/(^|\/)index$/, '$1')}` };
    }),
  }));
  const made = (text, pages) => {
    for (const page of pages) write(page.path, page.text);
    return {
      text,
      items: pages.map(({ path, title }) => ({ text: title, link: `/${path.replace(/index$/, '')}` })),
    };
  };
  const issuers = made('Journey of each issuer', issuerPages());
  const apis = SERVICES.map((name) =>
    made(
      name === 'users-service' ? 'User service' : 'Master service',
      apiPages(name, documents[name], examples[name]),
    ),
  );
  const errors = made('Errors', [errorIndex(index)]);
  for (const page of errorPages(index, documents, examples)) write(page.path, page.text);
  write('index', home());
  const [start, operate, build] = groups;
  return {
    '/': [start, issuers, ...apis, errors],
    ...{ '/operate/': [operate], '/runbooks/': [operate] },
    ...{ '/build/': [build], '/decisions/': [build] },
  };
}

const home = () => `---
layout: home
hero:
  name: Fixed-deposit onboarding
  text: From a phone number to a deposit that is ready to book
  actions:
    - { theme: brand, text: Quickstart, link: /quickstart }
    - { theme: alt, text: Error codes, link: /errors/ }
features:
  - { title: Journey, details: 'Read the next step, make its call, repeat.', link: /steps }
  - { title: Issuers, details: 'Five issuers, each with its own steps.', link: /issuers/ }
  - { title: API, details: 'Every call with a recorded exchange as curl, fetch and client.', link: /api/users/login }
  - { title: Polling, details: 'Answers that take longer: 202, hosted pages.', link: /polling }
  - { title: Events, details: 'What happens to your users, signed and sent to your backend.', link: /events }
  - { title: Testing, details: 'Values that provoke every failure.', link: /testing }
  - { title: Going live, details: 'Vendors, keys and domains.', link: /going-live }
---
`;

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.log(Object.keys(composePages()).length, relative(root, pagesFolder));
