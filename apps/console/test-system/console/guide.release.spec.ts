import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { axeViolations } from '@fd/browser-testing';
import { eventually, inParallel } from '@fd/testing';
import type { Page } from 'playwright-core';
import { forgiveComplaints, open, product, useProduct } from '../support/console-page.js';

useProduct();

const ROOT = join(import.meta.dirname, '../../../..');
const BUILD_LIMIT_MS = 180_000;
/** A few minutes; much longer beside other load. */
const EXAMINATION_LIMIT_MS = 1_800_000;

const WIDTHS = [390, 1440] as const;
const THEMES = ['light', 'dark'] as const;

/** A page of each layout, which are examined with their frame: navigation, sidebar and outline. */
const LAYOUTS = [
  '',
  'quickstart',
  'api/users/bank',
  'errors/',
  'issuers/',
  'issuers/kaveri',
  'operate/metrics',
];

/** Rules whose result depends on the theme. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

const DIST = join(ROOT, 'guide/dist');

/** One template renders the pages of all error codes, so one page in this many is examined. */
const ERROR_PAGES_BETWEEN = 8;
const IS_ERROR_PAGE = /^errors\/SVC/i;

/** Every file that the build has written, by its path in the site; stamps of the build are hidden. */
const builtFiles = (): string[] =>
  readdirSync(DIST, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ parentPath, name }) => relative(DIST, join(parentPath, name)));

/** Paths of the pages that the build has made. */
const examinedPages = (): string[] => {
  const all = builtFiles()
    .filter((file) => file.endsWith('.html') && file !== '404.html')
    .map((file) => file.replace(/(^|\/)index\.html$|\.html$/, '$1'))
    .sort();
  const ofErrors = all.filter((path) => IS_ERROR_PAGE.test(path));
  return [
    ...all.filter((path) => !IS_ERROR_PAGE.test(path)),
    ...ofErrors.filter((_, index) => index % ERROR_PAGES_BETWEEN === 0),
  ];
};

/** Pixels by which the page is wider than its window. */
const EXCESS_WIDTH = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** Whether the scripts of the page have rendered its diagrams. */
const IS_READY = `document.querySelector('#app').__vue_app__ !== undefined &&
  [...document.querySelectorAll('pre.diagram')].every((one) => one.querySelector('svg'))`;

const IS_DARK = `document.documentElement.classList.contains('dark')`;

/** Opens a page in a theme, and waits until it is complete. */
async function show(page: Page, path: string, theme: (typeof THEMES)[number] = 'light'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
  await page.goto(`${product().sandbox}/guide/${path}`);
  await eventually(async () =>
    expect([path, await page.evaluate(IS_READY), await page.evaluate(IS_DARK)]).toEqual([
      path,
      true,
      theme === 'dark',
    ]),
  );
}

/** Runs a command of a page against the product of this test. */
async function inShell(
  command: string,
  variables: Readonly<Record<string, string>>,
  usersUrl: string,
  sandboxUrl: string,
): Promise<string> {
  const moved = command
    .replaceAll('http://localhost:3001', usersUrl.replace(/\/$/, ''))
    .replaceAll('http://localhost:3003', sandboxUrl.replace(/\/$/, ''));
  const env = { PATH: process.env['PATH'], ...variables };
  return (await promisify(execFile)('sh', ['-ec', moved], { env })).stdout;
}

/** Violations in the contents of a page: of all rules at both widths, then of colours in the dark theme. */
async function findingsOn(page: Page, path: string): Promise<string[]> {
  const within = '#VPContent';
  const found: string[] = [];
  await show(page, path);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 844 });
    const excess = await page.evaluate(EXCESS_WIDTH);
    if (excess !== 0) found.push(`${path} at ${width}: ${String(excess)} pixels too wide`);
    const violations = await axeViolations(page, { within });
    found.push(...violations.map((one) => `${path} ${width}: ${one}`));
  }
  // the wider page has all elements of the narrow one
  await show(page, path, 'dark');
  const violations = await axeViolations(page, { within, rules: OF_COLOURS });
  found.push(...violations.map((one) => `${path} dark: ${one}`));
  return found;
}

describe('the guide', () => {
  beforeAll(
    () => promisify(execFile)(process.execPath, [join(ROOT, 'tools/build/guide.mjs')]),
    BUILD_LIMIT_MS,
  );

  it.each(LAYOUTS)('has no violations at any width, in any theme: /guide/%s', async (path) => {
    const page = await open('/guide/');
    for (const theme of THEMES) {
      await show(page, path, theme);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 844 });
        expect([theme, width, await axeViolations(page)]).toEqual([theme, width, []]);
      }
    }
  });

  it(
    'has no page whose contents are too wide or violate a rule of axe at either width, or one of colours in the dark theme',
    async () => {
      const found: string[] = [];
      const paths = examinedPages();
      expect(paths.length).toBeGreaterThan(100);
      // one tab for each processor
      await inParallel(2, async () => {
        const page = await open('/guide/');
        for (let path = paths.pop(); path !== undefined; path = paths.pop())
          found.push(...(await findingsOn(page, path)));
      });
      expect(found).toEqual([]);
    },
    EXAMINATION_LIMIT_MS,
  );

  it('serves every file of the build', async () => {
    const files = builtFiles();
    expect(files.length).toBeGreaterThan(500);
    const missing: string[] = [];
    await inParallel(8, async () => {
      for (let file = files.pop(); file !== undefined; file = files.pop()) {
        const { status } = await fetch(`${product().sandbox}/guide/${file}`);
        if (status !== 200) missing.push(`${status} ${file}`);
      }
    });
    expect(missing).toEqual([]);
  });

  it('finds a page by its search', async () => {
    const page = await open('/guide/');
    await show(page, '');
    await page.keyboard.press('/');
    await page.getByRole('searchbox').fill('idempotency');
    await page
      .getByRole('option')
      .first()
      .getByText(/idempotency/i)
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname !== '/guide/');
    // the address changes before the page is shown
    await page
      .locator('#VPContent')
      .filter({ hasText: /idempotency/i })
      .waitFor();
  });

  it('takes a reader to a bookable deposit with the commands of the quickstart alone', async () => {
    const page = readFileSync(join(ROOT, 'guide/.pages/quickstart.md'), 'utf8');
    const { usersService, sandbox } = product();
    const kept: Record<string, string> = {};
    let answer = '';
    // a command, or the request to keep a field of the answer before it
    const steps = page.matchAll(/^```sh[^\n]*\n([^]*?)^```$|Keep `(\w+)` as `(\w+)`/gm);
    for (const [, command, field, variable] of steps) {
      if (command !== undefined) answer = await inShell(command, kept, usersService.url, sandbox);
      else kept[variable!] = new RegExp(`"${field!}":"([^"]+)"`).exec(answer)![1]!;
    }
    expect(Object.keys(kept)).toEqual(['TOKEN', 'REQUEST', 'CODE']);
    expect(JSON.parse(answer)).toMatchObject({ payload: { is_bookable: true, blockers: [] } });
  });

  it('shows the language that a reader chose in all examples, on later pages too', async () => {
    const page = await open('/guide/quickstart');
    await show(page, 'quickstart');
    const shown = () =>
      page.evaluate(`[...document.querySelectorAll('.vp-code-group')].map((group) => [
        group.querySelector('input:checked + label').dataset.title,
        [...group.querySelector('.blocks').children].findIndex((block) => block.matches('.active')),
      ].join())`);
    const first = (await shown()) as string[];
    expect(first.length).toBeGreaterThan(1);
    expect(new Set(first)).toEqual(new Set(['curl,0']));
    const tab = page.locator('.vp-code-group label', { hasText: 'client' }).last();
    await tab.scrollIntoViewIfNeeded();
    const before = await tab.boundingBox();
    await tab.click();
    expect(new Set((await shown()) as string[])).toEqual(new Set(['client,2']));
    expect((await tab.boundingBox())!.y).toBeCloseTo(before!.y, 0);
    await page.getByRole('link', { name: 'API', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Login' }).waitFor();
    await eventually(async () => expect(new Set((await shown()) as string[])).toEqual(new Set(['client,2'])));
    await show(page, 'api/users/pan');
    expect(new Set((await shown()) as string[])).toEqual(new Set(['client,2']));
  });

  it('names the addresses of this product, on the first page and on later ones', async () => {
    const settings = await fetch(`${product().sandbox}/api/console`);
    const { users_base_url: users, master_base_url: master } = (await settings.json()) as Record<
      string,
      string
    >;
    const page = await open('/guide/quickstart');
    await show(page, 'quickstart');
    const text = () => page.locator('#VPContent').textContent();
    expect(await text()).toContain(users);
    await page.getByRole('link', { name: 'API', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Login' }).waitFor();
    expect(await text()).toContain(users);
    await show(page, 'api/master/quotes');
    expect(await text()).toContain(master);
    expect(await text()).not.toMatch(/localhost:300\d/);
  });

  it('shows diagrams in a size that can be read, and lets them scroll', async () => {
    const page = await open('/guide/issuers/kaveri', { width: 390, height: 844 });
    await show(page, 'issuers/kaveri');
    const text = await page.locator('pre.diagram .nodeLabel').first().boundingBox();
    expect(text!.height).toBeGreaterThanOrEqual(16);
  });

  it('renders diagrams again when a reader switches the theme', async () => {
    const page = await open('/guide/issuers/kaveri', { width: 1440, height: 900 });
    await show(page, 'issuers/kaveri');
    const ids = () => page.locator('pre.diagram > svg').evaluateAll((all) => all.map(({ id }) => id));
    const before = await ids();
    expect(before.length).toBeGreaterThan(0);
    await page.locator('.VPNavBarAppearance .VPSwitchAppearance').click();
    await eventually(async () => {
      expect(await page.evaluate(IS_DARK)).toBe(true);
      const after = await ids();
      expect(after).toHaveLength(before.length);
      for (const id of after) expect(before).not.toContain(id);
    });
  });

  it('works with the keyboard alone: every tab stop is a link or a working control', async () => {
    const page = await open('/guide/quickstart', { width: 1440, height: 900 });
    await show(page, 'quickstart');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('VPContent');
    const purposeless = page.locator('.VPSidebarItem > .item[tabindex]');
    expect(await purposeless.count()).toBe(0);
    await page.getByRole('tab', { name: 'fetch' }).or(page.getByLabel('fetch')).first().focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('link', { name: 'Operate', exact: true }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Deployment' }).waitFor();
    expect(await purposeless.count()).toBe(0);
  });

  it('shows a 404 page for an unknown address', async () => {
    const page = await open('/guide/nowhere');
    await page.getByRole('heading', { name: 'No such page' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('link', { name: 'To the first page' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Fixed-deposit onboarding' }).waitFor();
    forgiveComplaints();
  });
});
