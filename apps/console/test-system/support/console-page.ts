import { complaintsOf, type Product, startBrowser, startProduct } from '@fd/browser-testing';
import { eventually } from '@fd/testing';
import type { Browser, Locator, Page } from 'playwright-core';

/** Three services and the commands that prepare them, on a machine that is busy with other tests. */
const START_LIMIT_MS = 240_000;

let started: { readonly product: Product; readonly browser: Browser } | undefined;
const opened: { page: Page; complaints: string[] }[] = [];

/**
 * Starts a browser and the built product for all tests of the file; any console error or CSP violation fails the test.
 * @param settings of both services
 */
export function useProduct(settings?: Readonly<Record<string, string | undefined>>): void {
  beforeAll(async () => {
    const browser = await startBrowser();
    const product = await startProduct([], settings).catch(async (error: unknown) => {
      await browser.close();
      throw error;
    });
    started = { product, browser };
  }, START_LIMIT_MS);
  afterAll(async () => {
    await started?.browser.close();
    await started?.product.close();
  });
  afterEach(async () => {
    const complaints = opened.flatMap((one) => one.complaints);
    await Promise.all(opened.splice(0).map(({ page }) => page.context().close()));
    expect(complaints).toEqual([]);
  });
}

export const product = (): Product => started!.product;

/**
 * Opens a new page at a view or a path.
 * @param options.hasClock whether the test moves the clock of the page
 */
export async function open(
  place: string,
  { width = 1280, height = 900, hasTouch = false, hasClock = false } = {},
): Promise<Page> {
  const { browser } = started!;
  const context = await browser.newContext({
    viewport: { width, height },
    hasTouch,
    ignoreHTTPSErrors: true,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  opened.push({ page, complaints: complaintsOf(page) });
  if (hasClock) await page.clock.install();
  await page.goto(product().sandbox + (place.startsWith('/') ? place : `/#/${place}`));
  return page;
}

/** Drops the expected console errors of this test. */
export function forgiveComplaints(): void {
  for (const { complaints } of opened) complaints.length = 0;
}

export const button = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('button', { name, exact: true });

export const heading = (page: Page, name: string): Locator =>
  page.getByRole('heading', { name, exact: true });

/** Ticks what the form asks the person to agree to, and sends it. */
export async function sendCall(page: Page): Promise<void> {
  const send = page.getByRole('button', { name: 'Send', exact: true, disabled: false });
  await send.waitFor();
  for (const box of await page.locator('.step-panel form').getByRole('checkbox').all()) await box.check();
  await send.click();
}

export async function chooseIssuer(page: Page, name: string): Promise<void> {
  await page.getByRole('radio', { name }).check();
}

export async function takeCode(page: Page): Promise<void> {
  await button(page, 'Take it from the inbox').click();
  await eventually(async () =>
    expect(await page.getByLabel('otp', { exact: true }).inputValue()).toMatch(/^\d{6}$/),
  );
}

export async function logIn(page: Page): Promise<void> {
  await sendCall(page);
  await takeCode(page);
  await sendCall(page);
  await heading(page, 'Home').waitFor();
}

/** Agrees to and submits the prefilled forms one after another until a heading appears. */
export async function sendUpTo(page: Page, title: string): Promise<void> {
  while (!(await heading(page, title).isVisible())) {
    const before = await page.getByRole('list', { name: 'Requests and answers' }).locator('> li').count();
    await sendCall(page);
    await page.locator('.exchanges > li').nth(before).waitFor();
    await page
      .getByRole('button', { name: 'Send', exact: true, disabled: false })
      .or(heading(page, title))
      .first()
      .waitFor();
  }
}

/** Reloads the page with other tokens in the storage of its tab. */
export async function reloadWith(page: Page, tokens: Readonly<Record<string, string>>): Promise<void> {
  // after the console has stored everything, before it reads the storage again
  await page.addInitScript(`(() => {
    const stored = JSON.parse(sessionStorage.getItem('journey'));
    if (stored) sessionStorage.setItem('journey', JSON.stringify({ ...stored, ...${JSON.stringify(tokens)} }));
  })()`);
  await page.reload();
}
