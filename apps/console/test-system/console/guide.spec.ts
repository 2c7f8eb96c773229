import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { axeViolations } from '@fd/browser-testing';
import { eventually } from '@fd/testing';
import type { Page } from 'playwright-core';
import { forgiveComplaints, open, product } from '../support/console-page.js';

const ROOT = join(import.meta.dirname, '../../../..');
const BUILD_LIMIT_MS = 180_000;

const WIDTHS = [390, 1440] as const;
const THEMES = ['light', 'dark'] as const;

/** A page of each layout. */
const KINDS = [
  '',
  'quickstart',
  'api/users/bank',
  'errors/',
  'issuers/',
  'issuers/kaveri',
  'operate/metrics',
];

/** Waits until the scripts of the page have rendered its diagrams. */
const IS_READY = `document.querySelector('#app').__vue_app__ !== undefined &&
  [...document.querySelectorAll('pre.diagram')].every((one) => one.querySelector('svg'))`;

async function show(page: Page, path: string): Promise<void> {
  await page.goto(`${product().sandbox}/guide/${path}`);
  await eventually(async () => expect([path, await page.evaluate(IS_READY)]).toEqual([path, true]));
}

describe('the guide', () => {
  beforeAll(
    () => promisify(execFile)(process.execPath, [join(ROOT, 'tools/build/guide.mjs')]),
    BUILD_LIMIT_MS,
  );

  it.each(KINDS)('has nothing for axe to find at any width, in any theme: /guide/%s', async (path) => {
    const page = await open(`/guide/${path}`);
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await show(page, path);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 844 });
        expect([colorScheme, width, await axeViolations(page)]).toEqual([colorScheme, width, []]);
      }
    }
  });

  it('shows diagrams in a size that can be read, and lets them scroll', async () => {
    const page = await open('/guide/issuers/kaveri', { width: 390, height: 844 });
    await show(page, 'issuers/kaveri');
    const text = await page.locator('pre.diagram .nodeLabel').first().boundingBox();
    expect(text!.height).toBeGreaterThanOrEqual(16);
  });

  it('is read with the keyboard alone: every tab stop is a link or a working control', async () => {
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
