// The allowed imports, as lint rules. Between projects package.json decides: pnpm links only the projects that it declares, and
// their `exports` hide all other files, so that the compiler finds no others; architecture.spec.mjs compares it with a table.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../workspace.mjs';

/** The domains of users-service, top down: each may import only those below it, and only through their `index.ts`. */
export const USERS_DOMAINS = [
  'application',
  'banking',
  'kyc',
  'identity',
  'journey',
  'integrations',
  'events',
  'core',
  'config',
];

const USERS_SRC = './apps/users-service/src';

/** The files beside the domains compose them; no domain may import these files. */
const LAYERS = ['*.ts', ...USERS_DOMAINS];

const domainZones = LAYERS.flatMap((layer, position) => {
  const target = `${USERS_SRC}/${layer}`;
  return [
    ...LAYERS.slice(0, position).map((upper) => ({
      target,
      from: `${USERS_SRC}/${upper}`,
      message: `${layer} must not import ${upper}, which is above it.`,
    })),
    ...LAYERS.slice(position + 1).map((lower) => ({
      target,
      from: `${USERS_SRC}/${lower}`,
      except: ['./index.ts'],
      message: `Import ${lower} through its index.ts.`,
    })),
    { target, from: `${target}/index.ts`, message: 'The index is for other domains.' },
  ];
});

/** The entity classes and the tables or views of a domain, by its `*.entity.ts`. */
function ownedBy(domain) {
  const folder = join(root, USERS_SRC, domain);
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.entity.ts'));
  const found = files.flatMap((file) => [
    ...readFileSync(join(folder, file), 'utf8').matchAll(
      /@(?:View)?Entity\((?:\{ name: )?'(\w+)'.*?\nexport class (\w+)/gs,
    ),
  ]);
  return { tables: found.map(([, table]) => table), entities: found.map(([, , entity]) => entity) };
}

const STATEMENTS =
  'find findBy findOne findOneBy findOneOrFail findOneByOrFail exists existsBy count countBy insert update upsert delete createQueryBuilder from into InjectRepository';

/**
 * `no-restricted-syntax` of a domain: tables and entities of another one, outside of joins with what it publishes and of foreign keys.
 */
export function tablesOfOthers(domain) {
  const others = USERS_DOMAINS.filter((other) => other !== domain).map(ownedBy);
  const tables = others.flatMap((other) => other.tables).join('|');
  const entities = others.flatMap((other) => other.entities).join('|');
  const message = 'Only the owner of a table names it: call a method of its module.';
  return [
    `Literal[value=/onboarding.(?:${tables})\\b/]`,
    `TemplateElement[value.raw=/onboarding.(?:${tables})\\b/]`,
    `CallExpression[callee.property.name=/^(?:${STATEMENTS.replaceAll(' ', '|')})$/][arguments.0.name=/^(?:${entities})$/]`,
    `CallExpression[callee.name="InjectRepository"][arguments.0.name=/^(?:${entities})$/]`,
  ].map((selector) => ({ selector, message }));
}

export const boundaryConfigs = [
  {
    files: ['{apps,libs}/*/src/**/*.{ts,tsx}'],
    // the console is a frontend
    ignores: ['**/*.spec.ts', 'libs/*testing/**', 'libs/fuzzing/**', 'apps/console/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [{ regex: '^@fd/(.*testing|fuzzing|client)(/|$)', message: 'Only tests may use this.' }],
        },
      ],
    },
  },
  {
    // a relative path that leaves the project
    files: ['{apps,libs,examples}/**/*.{ts,tsx}'],
    rules: { 'import-x/no-relative-packages': 'error' },
  },
  {
    files: ['apps/users-service/src/**/*.ts'],
    rules: { 'import-x/no-restricted-paths': ['error', { zones: domainZones }] },
  },
];
