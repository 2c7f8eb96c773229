// The allowed imports as one table, from which the lint rules below are generated.
// No app imports code of another app, and `errors` imports nothing.
export const MAY_IMPORT = {
  errors: [],
  contracts: ['errors'],
  envelope: ['errors'],
  platform: ['errors', 'envelope'],
  testing: ['errors', 'contracts', 'envelope', 'platform'],
  fuzzing: ['testing'],
  'browser-testing': ['testing'],
  client: [],
  'users-service': ['errors', 'contracts', 'envelope', 'platform'],
  'master-service': ['errors', 'contracts', 'envelope', 'platform'],
  sandbox: ['errors', 'contracts', 'envelope', 'platform'],
  console: [],
};

/** Projects that another one serves without importing them: the sandbox serves the files of the built console. */
export const SERVES = { sandbox: ['console'] };

export const APPS = ['users-service', 'master-service', 'sandbox', 'console'];
/** Only for tests; the client is for frontends, which are in other repositories. */
export const TEST_LIBS = ['testing', 'fuzzing', 'browser-testing', 'client'];
const PROJECTS = Object.keys(MAY_IMPORT);

const folderOf = (project) => `${APPS.includes(project) ? 'apps' : 'libs'}/${project}`;

/** Specs may also use the test libraries. */
function restrictions(project, furtherLibs = []) {
  const allowed = [...MAY_IMPORT[project], ...furtherLibs];
  const forbidden = PROJECTS.filter((other) => other !== project && !allowed.includes(other));
  return [
    'error',
    {
      patterns: [
        {
          regex: `^@fd/(${forbidden.join('|')})(/|$)`,
          message: `${project} may import only: ${allowed.join(', ') || 'no other project'}.`,
        },
        { regex: '(^|/)(apps|libs)/', message: 'Import another project by its package name.' },
        // files that a program or a test imports before all others
        {
          regex: '^@fd/(?!platform/exit-on-signal$|testing/use-generous-limits$)[^/]+/.',
          message: 'Import a project through its index only.',
        },
      ],
    },
  ];
}

/** The domains of users-service, top down: each may import only those below it, and only through their `index.ts`. */
export const USERS_DOMAINS = [
  'application',
  'banking',
  'kyc',
  'identity',
  'journey',
  'integrations',
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

const testFiles = (folder) => [`${folder}/**/*.spec.ts`, `${folder}/{test,test-system}/**/*.ts`];

const projectConfigs = PROJECTS.flatMap((project) => {
  const folder = folderOf(project);
  return [
    {
      files: [`${folder}/**/*.{ts,tsx}`],
      ignores: testFiles(folder),
      rules: { 'no-restricted-imports': restrictions(project) },
    },
    {
      files: testFiles(folder),
      rules: { 'no-restricted-imports': restrictions(project, TEST_LIBS) },
    },
  ];
});

export const boundaryConfigs = [
  ...projectConfigs,
  {
    // for frontend teams to copy
    files: ['examples/*/src/**/*.{ts,tsx}'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex: '^@fd/(?!client$)', message: 'An example needs the client alone.' }] },
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
