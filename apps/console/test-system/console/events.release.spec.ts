import { axeViolations } from '@fd/browser-testing';
import { eventually } from '@fd/testing';
import type { Locator, Page } from 'playwright-core';
import { button, heading, logIn, open, product, sendCall, useProduct } from '../support/console-page.js';

useProduct();

/** Deliveries of the page's own search. */
const deliveries = (page: Page): Locator => page.locator('.events .exchange');
const events = (page: Page): Locator => page.locator('.events .card');

async function tell(page: Page, behaviour: string): Promise<void> {
  await page.getByRole('radio', { name: behaviour, exact: true }).check();
  await page.locator(`input[value=${behaviour.toLowerCase()}]:checked`).waitFor();
}

/** Logs a new person in; returns the user's id, by which the person's deliveries are found. */
async function aUser(page: Page): Promise<string> {
  await page.goto(`${product().sandbox}/#/journey`);
  await button(page, 'New person').click();
  const answered = page.waitForResponse((response) => response.url().endsWith('/register/verify'));
  await logIn(page);
  const { payload } = (await (await answered).json()) as { payload: { user_id: string } };
  return payload.user_id;
}

/** Opens the deliveries of a user. */
async function openEvents(page: Page, user: string): Promise<void> {
  await page.goto(`${product().sandbox}/#/events?q=${user}`);
  await heading(page, 'Events').waitFor();
}

const tries = (page: Page): Promise<string[]> =>
  page.locator('.events .exchange .try-number').allTextContents();

describe('events of the sample partner', () => {
  it('says that there are none, until the partner is subscribed, and then what to do', async () => {
    const page = await open('events');
    await page.getByText('The sample partner gets no events').waitFor();
    await product().subscribe();
    await page.getByText('No deliveries').waitFor();
    await page.getByText('users-service has none of the last 30 days').waitFor();
    await page.getByRole('link', { name: 'journey', exact: true }).click();
    await heading(page, 'Journey').waitFor();
    // until every replica knows the subscription
    await eventually(async () => {
      const user = await aUser(page);
      await openEvents(page, user);
      await deliveries(page).first().waitFor({ timeout: 4_000 });
    }, 60_000);
  });

  it('shows what a step made known, with its signature, checked, and its body', async () => {
    const page = await open('journey');
    const user = await aUser(page);
    await button(page, /Verify the PAN/).click();
    await sendCall(page);
    await page.locator('.step.is-done').getByText('Verify the PAN').waitFor();
    await openEvents(page, user);
    const card = deliveries(page).filter({ hasText: 'pan.verified' });
    await card.getByText('signature verified').waitFor();
    expect(await card.textContent()).toContain(`User ${user}Step PANStatus DONE`);
    expect(await card.locator('.chip').first().textContent()).toBe('204');
    await card.locator('summary').click();
    await card.getByText(/^Verified: the HMAC/).waitFor();
    expect(await card.locator('.url').textContent()).toMatch(/^v1,[\w+/]{43}=$/);
    const body = await card.getByRole('region', { name: 'Body: pan.verified, try 1' }).textContent();
    expect(JSON.parse(body!)).toMatchObject({ type: 'pan.verified', data: { user_id: user } });
    expect(await card.locator('.headers').textContent()).toContain('webhook-id');
    const read = events(page).filter({ hasText: user }).filter({ hasText: 'pan.verified' });
    await read.getByText('Delivered').waitFor();
    // in the order of the backend, newest first
    const types = await events(page).filter({ hasText: user }).locator('.to').allTextContents();
    expect(types.slice(0, 2)).toEqual(['journey.step.completed', 'pan.verified']);
  });

  it('fails, shows the next try, accepts it, and replays', async () => {
    const page = await open('events');
    await tell(page, 'Fail');
    await page.getByText('Answers 500:').first().waitFor();
    const user = await aUser(page);
    await openEvents(page, user);
    await deliveries(page).getByText('500', { exact: true }).first().waitFor();
    const waiting = events(page).filter({ hasText: user }).last();
    await waiting.getByText(/^1 failed try, latest answer: 500, next try: /).waitFor();
    await page.getByText('npx fd events resume').waitFor();
    const replay = waiting.getByRole('button', { name: /^Replay consent\.given of/ });
    expect(await replay.getAttribute('aria-disabled')).toBe('true');
    await tell(page, 'Accept');
    await eventually(async () => expect((await tries(page)).at(-2)).toBe('try 2'), 20_000);
    await waiting.getByText('Delivered').waitFor();
    const before = await deliveries(page).count();
    await replay.focus();
    await page.keyboard.press('Enter');
    await page
      .getByRole('status')
      .getByText('consent.given is delivered again.')
      .waitFor({ state: 'attached' });
    expect(await replay.evaluate('document.activeElement.textContent')).toBe('Replay');
    await eventually(async () => expect(await tries(page)).toHaveLength(before + 1));
    expect((await tries(page))[0]).toBe('try 3');
    const known = await fetch(`${product().sandbox}/api/partner-events/deliveries`);
    const { tries: all } = (await known.json()) as {
      tries: { event_id: string; status: number; body: string }[];
    };
    const ofEvent = all.filter(({ body }) => body.includes(user) && body.includes('consent.given'));
    expect(ofEvent.map(({ status }) => status)).toEqual([204, 204, 500]);
    expect(new Set(ofEvent.map(({ event_id: id }) => id)).size).toBe(1);
  });

  it('hangs, and cuts what hangs when it is told otherwise', async () => {
    const page = await open('events');
    await tell(page, 'Hang');
    const user = await aUser(page);
    await openEvents(page, user);
    await deliveries(page).getByText('hangs', { exact: true }).first().waitFor();
    await tell(page, 'Accept');
    await deliveries(page)
      .getByText(/^no answer in \d+ seconds?$/)
      .first()
      .waitFor();
    await deliveries(page).getByText('204', { exact: true }).first().waitFor();
  });

  it('shows a delivery that somebody else has made up', async () => {
    const forged = await fetch(`${product().sandbox}/partner/events`, {
      method: 'POST',
      headers: {
        'webhook-id': 'forged-1',
        'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
        'webhook-signature': `v1,${'A'.repeat(43)}=`,
        'content-type': 'application/json',
      },
      body: '{"type":"<b>pan.verified</b>","data":{"user_id":"forged-user"}}',
    });
    expect(forged.status).toBe(400);
    const page = await open('events?q=forged-1');
    await deliveries(page).getByText('not verified', { exact: true }).waitFor();
    expect(await deliveries(page).count()).toBe(1);
    expect(await deliveries(page).textContent()).toContain('400<b>pan.verified</b> try 1');
    await deliveries(page).locator('summary').click();
    await page.getByText('Not verified. No signature fits').waitFor();
  });

  it.each([390, 1440])(
    'has no violation of axe and is readable with open deliveries: %s px',
    async (width) => {
      const page = await open('events', { width, height: 844 });
      await deliveries(page).first().locator('summary').click();
      await page.getByRole('region', { name: /^Body: / }).waitFor();
      await events(page).first().waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        expect([colorScheme, await axeViolations(page)]).toEqual([colorScheme, []]);
      }
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      for (const part of await page.locator('.events summary > *, .events .card > *').all()) {
        const box = await part.boundingBox();
        expect(box!.x >= 0 && box!.x + box!.width <= width).toBe(true);
      }
    },
  );

  it('opens a delivery and changes the answer with the keyboard', async () => {
    const page = await open('events');
    await page.getByRole('radio', { name: 'Accept' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.locator('input[value=fail]:checked').waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.locator('input[value=accept]:checked').waitFor();
    await page.getByLabel('Search', { exact: true }).focus();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.localName')).toBe('summary');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Body, as received' }).waitFor();
  });

  // pauses the deliveries: the last one
  it('says after a 410 that the deliveries are paused, and how they go on', async () => {
    const page = await open('events');
    await tell(page, 'Gone');
    await aUser(page);
    await page.goto(`${product().sandbox}/#/events`);
    const alert = page.getByRole('alert');
    await alert.getByText('The deliveries are paused').waitFor();
    await alert.getByText('npx fd events resume --url https://app.partner.example').waitFor();
  });
});
