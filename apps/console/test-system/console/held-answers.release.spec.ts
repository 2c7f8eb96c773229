import { eventually } from '@fd/testing';
import type { Page } from 'playwright-core';
import {
  button,
  chooseIssuer,
  heading,
  logIn,
  open,
  sendCall,
  sendUpTo,
  useProduct,
} from '../support/console-page.js';

useProduct();

/** Holds the answers to some calls back until `release`, and counts the calls. */
async function hold(page: Page, pattern: RegExp, method: string, status?: number) {
  const held = { calls: 0, answered: 0, release: (): void => undefined };
  const released = new Promise<void>((resolve) => (held.release = resolve));
  await page.route(pattern, async (route) => {
    if (route.request().method() !== method) return route.fallback();
    held.calls += 1;
    await released;
    // the page may be gone or may have been loaded again
    const answering =
      status === undefined
        ? route.fetch().then((response) => route.fulfill({ response }))
        : route.fulfill({ status, headers: { 'access-control-allow-origin': '*' }, body: '{}' });
    await answering.catch(() => undefined);
    held.answered += 1;
  });
  return held;
}

describe('an answer that comes late', () => {
  const POLL = /\/api\/v1\/pan-verification\/[^/]+$/;
  const done = (page: Page, step: string) => page.locator('.step.is-done').getByText(step);
  const isIdle = (page: Page) => page.getByRole('button', { name: 'Send', exact: true, disabled: false });

  /** Logs in, and waits until the poll of a slow PAN check is under way. */
  async function pollSlowly(page: Page, status?: number) {
    await logIn(page);
    await sendUpTo(page, 'Verify the PAN');
    const held = await hold(page, POLL, 'GET', status);
    await page.getByLabel('Provoke').selectOption({ value: '0202' });
    await sendCall(page);
    await page.locator('.waiting-line').waitFor();
    await eventually(() => expect(held.calls).toBe(1));
    return held;
  }

  it('does not move the user from the step that was opened during the poll', async () => {
    const page = await open('journey');
    const poll = await pollSlowly(page);
    // the registry needs this long for the result
    await page.waitForTimeout(5_000);
    await button(page, /Name a nominee/).click();
    await page.locator('#field-name').fill('Savitri Devi');
    poll.release();
    await done(page, 'Verify the PAN').waitFor();
    await isIdle(page).waitFor();
    await heading(page, 'Name a nominee').waitFor();
    expect(await page.locator('#field-name').inputValue()).toBe('Savitri Devi');
    expect(await page.locator('.answer').count()).toBe(0);
  });

  it.each([
    ['its result', undefined],
    ['a refused token', 401],
  ])('changes nothing for the next person: %s', async (_what, status) => {
    const page = await open('journey');
    let renewals = 0;
    await page.route(/\/token\/refresh$/, (route) => ((renewals += 1), route.fallback()));
    const poll = await pollSlowly(page, status);
    await button(page, 'New person').click();
    await heading(page, 'Log in').waitFor();
    poll.release();
    await eventually(() => expect(poll.answered).toBe(1));
    await page.getByLabel('with the console’s own').check();
    await page
      .getByRole('region', { name: /Sandbox clock/ })
      .getByText('Nothing of this journey')
      .waitFor();
    expect(await page.locator('.exchange').count()).toBe(0);
    expect(await page.locator('.answer, .waiting-line').count()).toBe(0);
    expect(renewals).toBe(0);
    await page.unroute(POLL);
    await logIn(page);
    expect(await page.locator('.step.is-done').allTextContents()).toEqual([
      expect.stringContaining('Log in') as string,
    ]);
  });

  it('does not keep the page busy across a reload, after which the result is polled again', async () => {
    const page = await open('journey');
    const poll = await pollSlowly(page);
    await page.reload();
    await page.locator('.waiting-line').waitFor();
    await isIdle(page).waitFor();
    await page.unroute(POLL);
    poll.release();
    await done(page, 'Verify the PAN').waitFor();
    await isIdle(page).waitFor();
  });

  it('keeps the step that the user opens while a call is under way', async () => {
    const page = await open('journey');
    await logIn(page);
    await button(page, /Verify the PAN/).click();
    const call = await hold(page, /\/api\/v1\/pan-verification(\?|$)/, 'POST');
    await sendCall(page);
    await eventually(() => expect(call.calls).toBe(1));
    await button(page, /Name a nominee/).click();
    call.release();
    await done(page, 'Verify the PAN').waitFor();
    await isIdle(page).waitFor();
    await heading(page, 'Name a nominee').waitFor();
  });

  it('lets the user follow an address that changed while a call was under way', async () => {
    const page = await open('journey');
    const call = await hold(page, /\/auth\/register$/, 'POST');
    await sendCall(page);
    await eventually(() => expect(call.calls).toBe(1));
    await page.evaluate('location.hash = "#/journey?issuer=kaveri"');
    await page.locator('input[value="aravalli"]:checked').waitFor();
    call.release();
    await page.locator('input[value="kaveri"]:checked').waitFor();
    await isIdle(page).waitFor();
    expect(page.url()).toContain('issuer=kaveri');
    await page.getByRole('form', { name: 'Log in with the code' }).waitFor();
  });

  it('does not show the steps of the issuer that was chosen before', async () => {
    const page = await open('journey?issuer=nilgiri');
    await logIn(page);
    const call = await hold(page, /\/issuer-apis\/sahyadri\/v1\/journey$/, 'GET');
    await chooseIssuer(page, 'Sahyadri');
    await eventually(() => expect(call.calls).toBe(1));
    await chooseIssuer(page, 'Kaveri');
    await page.locator('.step').nth(8).waitFor();
    call.release();
    await eventually(() => expect(call.answered).toBe(1));
    await page.waitForTimeout(300);
    expect(await page.locator('.step').count()).toBe(9);
  });
});
