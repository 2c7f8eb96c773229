import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { axeViolations } from '@fd/browser-testing';
import { eventually } from '@fd/testing';
import type { Page } from 'playwright-core';
import {
  button,
  chooseIssuer,
  forgiveComplaints,
  heading,
  logIn,
  open,
  product,
  reloadWith,
  sendCall,
  sendUpTo,
  takeCode,
  useProduct,
} from './support/console-page.js';

const DEMO = join(import.meta.dirname, '../../../tools/dev/demo.mjs');

const VIEWS = [
  'journey',
  'inbox',
  'quotes',
  'waiting',
  'magic',
  'effects',
  'wire',
  'events',
  'health',
] as const;
type View = (typeof VIEWS)[number];

/** The built console in a browser, against the built services. */
describe('console in a browser', () => {
  useProduct();

  const statuses = (page: Page) => page.locator('.exchange .chip').allTextContents();

  it('completes the journey automatically at every issuer', async () => {
    const complete = async (issuer: string): Promise<void> => {
      const page = await open('journey');
      await chooseIssuer(page, issuer);
      await button(page, 'Complete all steps').click();
      await heading(page, 'Ready to book').waitFor({ timeout: 40_000 });
      const all = await statuses(page);
      // a bank that is busy answers 202, and is asked again
      expect([issuer, all.filter((status) => !/^20[012]$/.test(status))]).toEqual([issuer, []]);
      expect(all.length).toBeGreaterThanOrEqual(13);
      const done = await page.locator('.step.is-done').count();
      expect([issuer, done]).toEqual([issuer, issuer === 'Sahyadri' ? 11 : 9]);
      expect(await page.getByRole('progressbar').getAttribute('value')).toBe('100');
    };
    await Promise.all(['Aravalli', 'Kaveri', 'Nilgiri', 'Sahyadri', 'Vindhya'].map(complete));
  });

  it('runs beside a demo that takes a new person to a deposit that can be booked', async () => {
    const demo = (usersUrl: string) =>
      promisify(execFile)(process.execPath, [DEMO], {
        env: {
          PATH: process.env['PATH'],
          USERS_URL: usersUrl,
          MASTER_URL: product().masterService.url,
          SANDBOX_URL: product().sandbox,
        },
      });
    const { stdout } = await demo(product().usersService.url);
    expect(stdout).toContain(`POST ${product().usersService.url}/api/v1/pan-verification`);
    expect(stdout).toContain('"is_bookable": true');
    expect(stdout).toMatch(/\nThe deposit is ready to book: complete after \d+ calls\.\n$/);
    await expect(demo('http://127.0.0.1:1')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Run "npm start"') as string,
    });
  });

  it('completes the hosted eKYC call by call, and shows each request and answer', async () => {
    const page = await open('journey');
    await chooseIssuer(page, 'Nilgiri');
    await logIn(page);
    await sendUpTo(page, 'eKYC');
    await sendCall(page);
    const link = page.getByRole('link', { name: 'on the hosted page' });
    const [hosted] = await Promise.all([page.waitForEvent('popup'), link.click()]);
    await hosted.getByRole('button', { name: /Verified/ }).click();
    await hosted.getByText('This eKYC is over').waitFor();
    // the console polls automatically
    await heading(page, 'Verify the email').waitFor();
    const newest = page.locator('.exchange').first();
    await newest.getByText('"is_ekyc_verified"').waitFor();
    expect(await newest.textContent()).toMatch(/POST http.*\/issuer-apis\/nilgiri\/v3\/check-status/);
    expect(await newest.textContent()).toMatch(/authorization.*Bearer \S{12}…/);
    await sendCall(page);
    await takeCode(page);
    await sendUpTo(page, 'Booking check');
    await button(page, 'Check').click();
    await heading(page, 'Ready to book').waitFor();
  });

  it('completes the document locker, decided from the console', async () => {
    const page = await open('journey');
    await chooseIssuer(page, 'Kaveri');
    await logIn(page);
    await sendUpTo(page, 'eKYC');
    await sendCall(page);
    await page.getByText('/issuer-apis/kaveri/v1/document-locker/session', { exact: true }).waitFor();
    await sendCall(page);
    await button(page, 'Deny').click();
    await page.getByRole('alert').getByText('SVCUSER2431').waitFor();
    await button(page, 'Open a new locker session').click();
    const consent = page.getByRole('checkbox', { name: 'consent_checked' });
    expect(await consent.isChecked()).toBe(false);
    await sendCall(page);
    await button(page, 'Allow').click();
    await sendCall(page);
    await heading(page, 'Verify the email').waitFor();
  });

  it('provokes a failure, explains it, and continues', async () => {
    const page = await open('journey');
    await logIn(page);
    await button(page, /Verify the PAN/).click();
    await page.getByLabel('Provoke').selectOption({ label: '0404: The registry does not know the PAN.' });
    expect(await page.getByLabel('number', { exact: true }).inputValue()).toMatch(/^[A-Z]{5}0404[A-Z]$/);
    await sendCall(page);
    const alert = page.getByRole('alert');
    await alert.getByText('SVCUSER2205').waitFor();
    expect(await alert.textContent()).toContain('400');
    await page.locator('.step.is-failed').getByText('SVCUSER2205').waitFor();
    await button(page, 'Refill').click();
    await sendCall(page);
    await page.locator('.step.is-done').getByText('Verify the PAN').waitFor();
    expect(await alert.count()).toBe(0);
  });

  it('restores the successful value when the failure is deselected', async () => {
    const page = await open('journey');
    await logIn(page);
    await button(page, /Verify the PAN/).click();
    const pan = await page.getByLabel('number', { exact: true }).inputValue();
    await page.getByLabel('Provoke').selectOption({ label: '0404: The registry does not know the PAN.' });
    await page.getByLabel('Provoke').selectOption({ label: 'no failure' });
    expect(await page.getByLabel('number', { exact: true }).inputValue()).toBe(pan);
  });

  it('marks the refused field, links its code and shows the refusal on a phone', async () => {
    const page = await open('journey', { width: 390, height: 844 });
    await button(page, 'Send').waitFor();
    await page.getByLabel('phone', { exact: true }).fill('12');
    await sendCall(page);
    const alert = page.getByRole('alert');
    const link = alert.getByRole('link', { name: /^SVCUSER\d{4}$/ }).first();
    expect(await link.getAttribute('href')).toBe(`/guide/errors/${await link.textContent()}`);
    await eventually(async () => {
      expect(
        await alert.evaluate('document.querySelector("[role=alert]").getBoundingClientRect().top'),
      ).toBeLessThan(844);
      expect(await page.evaluate('document.activeElement.className')).toContain('step-panel');
    });
    expect(await page.getByLabel('phone', { exact: true }).getAttribute('aria-invalid')).toBe('true');
  });

  it('shows a failed eKYC and the next step', async () => {
    const page = await open('journey?issuer=nilgiri');
    await logIn(page);
    await sendUpTo(page, 'eKYC');
    await sendCall(page);
    await button(page, 'Failed').click();
    await page.getByRole('alert').getByText('The eKYC failed').waitFor();
    // the next link is polled meanwhile
    const polls = () => page.locator('.exchange').count();
    await page.getByLabel('with the console’s own').check();
    const before = await polls();
    await eventually(async () => expect(await polls()).toBeGreaterThan(before + 1));
    expect(await page.getByRole('alert').textContent()).toContain('The eKYC failed');
    await button(page, 'Verified').click();
    await heading(page, 'Verify the email').waitFor();
  });

  it('keeps person, session, log, issuer and step across a reload, and renews its token', async () => {
    const page = await open('journey?issuer=kaveri');
    await logIn(page);
    await button(page, /Verify the PAN/).click();
    await eventually(() => expect(page.url()).toContain('#/journey?issuer=kaveri&step=PAN'));
    const person = await page.locator('.person').textContent();
    const before = await page.locator('.exchange').count();
    await reloadWith(page, { token: 'an.expired.token' });
    await heading(page, 'Verify the PAN').waitFor();
    expect(await page.locator('.person').textContent()).toBe(person);
    expect(await page.locator('.exchange').count()).toBe(before);
    await sendCall(page);
    await page.locator('.step.is-done').getByText('Verify the PAN').waitFor();
    await page.getByLabel('with the console’s own').check();
    await page.getByText('New tokens', { exact: true }).waitFor();
    await page.getByLabel('with the console’s own').uncheck();
    await page.getByLabel('Search the log').fill('/auth/register');
    await eventually(async () => expect(await page.locator('.exchange').count()).toBeLessThan(before + 1));
    expect(await page.locator('.exchange').first().textContent()).toContain('/auth/register');
  });

  it('labels no field both optional and required', async () => {
    const page = await open('journey');
    await logIn(page);
    await button(page, /Choose a deposit/).click();
    await page.getByLabel('event_name', { exact: true }).waitFor();
    const labels = await page.locator('.field').allTextContents();
    expect(labels.filter((text) => /optional/.test(text) && /required\./i.test(text))).toEqual([]);
  });

  it('updates the quote from its URL and with Back', async () => {
    const page = await open('quotes?issuer=ARAVFIN&tenure=365');
    await page.locator('.headline').getByText('gained in interest').waitFor();
    await page.goto(`${product().sandbox}/#/quotes?issuer=KAVSFB&tenure=400`);
    await eventually(async () => expect(await page.getByLabel('Tenure, days').inputValue()).toBe('400'));
    await page.getByLabel('Interest is paid').selectOption('Maturity');
    await page.goBack();
    await eventually(async () =>
      expect(await page.getByLabel('Interest is paid').inputValue()).toBe('Quarterly'),
    );
    await page.goBack();
    await eventually(async () => expect(await page.getByLabel('Tenure, days').inputValue()).toBe('365'));
  });

  it('returns with Back from each step that was opened', async () => {
    const page = await open('health');
    await page.getByRole('link', { name: 'Journey', exact: true }).click();
    await logIn(page);
    await button(page, /Verify the PAN/).click();
    await heading(page, 'Verify the PAN').waitFor();
    await button(page, /Choose a deposit/).click();
    await heading(page, 'Choose a deposit').waitFor();
    await page.goBack();
    await heading(page, 'Verify the PAN').waitFor();
    await page.goBack();
    await heading(page, 'Home').waitFor();
    await page.goForward();
    await heading(page, 'Verify the PAN').waitFor();
    await button(page, 'Complete all steps').click();
    await heading(page, 'Ready to book').waitFor({ timeout: 60_000 });
    await button(page, /eKYC/).click();
    await heading(page, 'eKYC').waitFor();
    await page.goBack();
    await heading(page, 'Ready to book').waitFor();
  });

  it('says that it has no page at an unknown address', async () => {
    const page = await open('nowhere');
    await heading(page, 'No such page').waitFor();
    await page.getByRole('link', { name: 'Go to the journey' }).click();
    await heading(page, 'Journey').waitFor();
  });

  it('names an unknown step in the address, and shows the due one', async () => {
    const page = await open('journey?issuer=nilgiri&step=NOWHERE');
    await page.getByText('There is no step “NOWHERE” here').waitFor();
    await heading(page, 'Log in').waitFor();
    await logIn(page);
    await page.goto(`${product().sandbox}/#/journey?issuer=nilgiri&step=EMAIL`);
    await heading(page, 'Verify the email').waitFor();
    // nilgiri requires no lead
    await page.goto(`${product().sandbox}/#/journey?issuer=nilgiri&step=LEAD`);
    await page.getByText('There is no step “LEAD” here').waitFor();
    await heading(page, 'Home').waitFor();
  });

  it('shows each part of an effect on a phone', async () => {
    const page = await open('effects', { width: 390, height: 844 });
    const cells = page.locator('.effects tbody tr').first().locator('td');
    await cells.first().waitFor();
    for (const cell of await cells.all()) {
      const box = await cell.boundingBox();
      expect(box!.x >= 0 && box!.x + box!.width <= 390).toBe(true);
    }
    expect(await cells.count()).toBe(6);
  });

  it('shows a quote with its chart, and compares issuers', async () => {
    const page = await open('quotes?payout_frequency=Monthly&tenure=365');
    await page.getByRole('img', { name: 'Interest paid in 12 payouts' }).waitFor();
    expect(await page.locator('.chart .bar').count()).toBe(12);
    expect(await page.locator('.schedule tbody tr').count()).toBe(12);
    const rows = page.locator('.comparison tbody tr');
    expect(await rows.count()).toBe(5);
    await page
      .locator('.comparison')
      .getByRole('button', { name: /Vindhya/ })
      .click();
    await page.locator('.comparison tr.is-chosen').getByText('Vindhya').waitFor();
    expect(page.url()).toContain('issuer=VINBANK');
    await page.getByLabel('Interest is paid').selectOption('Maturity');
    await page.getByRole('img', { name: /of interest/ }).waitFor();
    await page.getByLabel('Tenure, days').fill('1');
    await page.getByRole('alert').getByText('SVCMAS2102').waitFor();
  });

  it('shows messages as they arrive, as text, and takes the old links', async () => {
    const phone = '919812300077';
    const page = await open(`/?to=${phone}`);
    await page.getByText('Nothing for this search').waitFor();
    expect(page.url()).toContain(`#/inbox?to=${phone}`);
    const text = '<img src=x onerror=alert(1)> 482913 is your code.';
    const sent = await fetch(`${product().sandbox}/providers/sms/primary/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer any' },
      body: JSON.stringify({ to: phone, template_id: 'login_otp', text }),
    });
    expect(sent.status).toBe(202);
    await page.getByText(text).waitFor();
    await page.getByRole('status').getByText('code 4 8 2 9 1 3').waitFor({ state: 'attached' });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await button(page, '482913 Copy').click();
    await page.getByText('Copied').first().waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('482913');
    await button(page, 'Clear all').click();
    await page.getByText('Nothing for this search').waitFor();
  });

  it('decides pending requests', async () => {
    const page = await open('journey');
    await chooseIssuer(page, 'Aravalli');
    await logIn(page);
    await button(page, /^✓?eKYC/).click();
    await sendCall(page);
    await page.locator('.exchange').first().getByText('"ekyc_url"').waitFor();
    await page.getByRole('link', { name: 'Waiting' }).click();
    const waiting = page.getByRole('list', { name: /Waiting/ }).getByText('ARAVFIN, HOSTED');
    await waiting.first().waitFor();
    await page
      .getByRole('button', { name: /^Failed: ARAVFIN/ })
      .first()
      .click();
    await page
      .getByRole('status')
      .getByText(/ARAVFIN, HOSTED: Failed/)
      .waitFor({ state: 'attached' });
  });

  it('finds magic values and effects', async () => {
    const page = await open('magic');
    await page.getByLabel('Search', { exact: true }).fill('frozen');
    await page.getByText('The account is frozen.').waitFor();
    expect(await page.locator('table.magic tbody tr').count()).toBe(1);
    await page.getByRole('link', { name: 'Effects' }).click();
    await page.getByLabel('Provider or issuer').selectOption('bank');
    await page.getByRole('cell', { name: 'Penny drop' }).first().waitFor();
    expect(new Set(await page.locator('.effects tbody td:nth-child(2)').allTextContents())).toEqual(
      new Set(['bank']),
    );
  });

  it.each(['light', 'dark'] as const)('has nothing for axe to find, in any view: %s', async (colorScheme) => {
    const page = await open('journey');
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await logIn(page);
    for (const view of VIEWS) {
      await page.goto(`${product().sandbox}/#/${view}`);
      await settled(page, view);
      expect([view, await axeViolations(page)]).toEqual([view, []]);
    }
  });

  it('fits on a phone, in any view', async () => {
    const page = await open('journey', { width: 360, height: 740 });
    await button(page, 'Complete all steps').click();
    await heading(page, 'Ready to book').waitFor();
    for (const view of VIEWS) {
      await page.goto(`${product().sandbox}/#/${view}`);
      await settled(page, view);
      const wide = await page.evaluate('document.documentElement.scrollWidth');
      expect([view, wide]).toEqual([view, 360]);
    }
  });

  it('works with the keyboard alone', async () => {
    const page = await open('journey');
    await button(page, 'Send').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    await page.getByRole('radio', { name: 'Aravalli' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.locator('input[value="kaveri"]:checked').waitFor();
    await button(page, 'Complete all steps').focus();
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
    expect(outline).toBe('solid');
    await page.keyboard.press('Enter');
    await heading(page, 'Ready to book').waitFor();
  });

  it('refuses code that is not its own', async () => {
    const page = await open('inbox');
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    const tried = await page.evaluate(`(() => {
      try { document.body.innerHTML = '<b>no</b>'; return 'taken'; } catch (error) { return error.name; }
    })()`);
    expect(tried).toBe('TypeError');
    // the violation was meant
    forgiveComplaints();
  });

  // ends a service: the last one
  it('shows the health of the services and reports one that is down', async () => {
    const page = await open('health');
    const card = (name: string) => page.locator('.service').filter({ has: heading(page, name) });
    for (const name of ['users-service', 'master-service', 'sandbox'])
      await card(name).getByText('Ready').waitFor();
    expect(await card('users-service').textContent()).toMatch(/postgresup.*redisup.*Node\.jsv\d/);
    await product().masterService.terminate();
    await card('master-service').getByText('Does not answer').waitFor();
    expect(await card('users-service').textContent()).toContain('Ready');
    await page.goto(`${product().sandbox}/#/quotes`);
    await page
      .getByRole('alert')
      .first()
      .getByText(/cannot be reached/)
      .waitFor();
  });
});

/** Waits until a view has loaded its content. */
async function settled(page: Page, view: View): Promise<void> {
  const shown: Readonly<Record<View, string>> = {
    journey: '.exchange',
    inbox: '.card',
    quotes: '.chart .bar',
    waiting: '.card, .empty',
    magic: 'table.magic',
    effects: '.effects tbody tr',
    wire: '.wire .exchange',
    // this partner is not subscribed; `console/events.release.spec.ts` has one that is
    events: '.empty',
    health: '.service',
  };
  await page.locator(shown[view]).first().waitFor();
}
