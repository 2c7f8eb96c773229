import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import {
  axeViolations,
  complaintsOf,
  pressuresOn,
  type Product,
  startBrowser,
  startProduct,
} from '@fd/browser-testing';
import { eventually, freePort } from '@fd/testing';
import type { Browser, Page, Route } from 'playwright-core';

const ROOT = join(import.meta.dirname, '..');
const VITE = join(ROOT, 'node_modules/.bin/vite');
/** Time limit for starting three services, their commands and a build on a busy machine. */
const START_LIMIT_MS = 240_000;

const vite = (args: string[], env: NodeJS.ProcessEnv = {}) =>
  spawn(VITE, [...args, '--logLevel', 'error'], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });

describe('the example in a browser', () => {
  let product: Product;
  let browser: Browser;
  let server: ReturnType<typeof vite>;
  let page: Page;
  let complaints: string[];
  let origin: string;
  beforeAll(async () => {
    const port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    product = await startProduct([origin], { CONFIRM_LOGIN_AFTER_DAYS: '31' });
    const built = vite(['build', '--outDir', 'dist/test'], { VITE_USERS_URL: product.usersService.url });
    expect(await once(built, 'exit')).toEqual([0, null]);
    server = vite([
      'preview',
      '--outDir',
      'dist/test',
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--strictPort',
    ]);
    browser = await startBrowser();
    await eventually(async () => expect((await fetch(origin)).ok).toBe(true));
  }, START_LIMIT_MS);
  afterAll(async () => {
    await browser?.close();
    server?.kill();
    await product?.close();
  });
  beforeEach(async () => {
    page = await (
      await browser.newContext({ viewport: { width: 390, height: 800 }, ignoreHTTPSErrors: true })
    ).newPage();
    page.setDefaultTimeout(30_000);
    complaints = complaintsOf(page);
    await page.clock.install();
    await page.goto(origin);
  });
  afterEach(async () => {
    await page.context().close();
    expect(complaints).toEqual([]);
  });

  const heading = (name: RegExp | string) => page.getByRole('heading', { level: 2, name });
  const fill = (label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  /** The last sent code. */
  const codeFor = async (to: string): Promise<string> => {
    const answer = await fetch(`${product.sandbox}/api/messages?to=${encodeURIComponent(to)}`);
    const { messages } = (await answer.json()) as { messages: { code: string }[] };
    return messages[0]!.code;
  };
  /** Exactly these fields are marked, each described by a text of its own. */
  async function marked(labels: readonly string[]): Promise<void> {
    await eventually(async () =>
      expect(await page.locator('[aria-invalid="true"]').count()).toBe(labels.length),
    );
    for (const label of labels) {
      const field = page.getByLabel(label, { exact: true });
      expect([label, await field.getAttribute('aria-invalid')]).toEqual([label, 'true']);
      const [, problem] = (await field.getAttribute('aria-describedby'))!.split(' ');
      expect([label, await page.locator(`[id="${problem!}"]`).textContent()]).toEqual([
        label,
        expect.stringMatching(/^[A-Z].*\.$/),
      ]);
    }
  }
  const aPerson = () => {
    const digits = String(Date.now()).slice(-8);
    const [a, b, c, d, e] = [...randomBytes(5)].map((byte) => String.fromCharCode(65 + (byte % 26)));
    return {
      phone: `918${digits}1`,
      pan: `${a}${b}${c}P${d}1234${e}`,
      email: `a.person.with.a.long.name.${digits}@mail.example`,
    };
  };

  /** Nothing is ticked before the person ticks it, nothing presses, and the person can leave with one click. */
  const expectFreeChoice = async (leave = 'Log out') => {
    expect(await pressuresOn(page)).toEqual([]);
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.getByRole('button', { name: leave }).isEnabled()).toBe(true);
  };

  async function fillInCode(phone: string): Promise<void> {
    await page.getByText('12 digits with the prefix 91').waitFor();
    expect([await pressuresOn(page), await axeViolations(page)]).toEqual([[], []]);
    await fill('Mobile number', phone);
    await press('Send me a code');
    await heading(/The code that we sent/).waitFor();
    await expectFreeChoice('Use another number');
    await fill('Code', await codeFor(phone));
  }

  async function logIn(phone: string): Promise<void> {
    await fillInCode(phone);
    await page.getByLabel('I agree to the terms of use.').check();
    await press('Log in');
    await heading('Your PAN').waitFor();
    await expectFreeChoice();
  }

  /** Nothing is wider than the window. */
  const expectToFit = async () =>
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);

  /** The step eKYC, and a verified address. */
  async function proveWho(email: string): Promise<void> {
    await heading('Prove who you are').waitFor();
    await expectFreeChoice();
    await press('Begin eKYC');
    await page.getByRole('link', { name: 'Open the eKYC page' }).waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Open the eKYC page');
    await expectFreeChoice();
    const [hosted] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Open the eKYC page' }).click(),
    ]);
    await hosted.locator('[formaction$="/verified"]').click();
    await heading('Your email address').waitFor();
    await expectFreeChoice();
    await fill('Email address', email);
    await press('Mail me a code');
    await heading(/The code that we mailed/).waitFor();
    await expectToFit();
    await expectFreeChoice();
    await fill('Code', await codeFor(email));
    await press('Verify my address');
    await heading('About you').waitFor();
    await expectToFit();
    await expectFreeChoice();
  }

  async function verifyPan(pan: string): Promise<void> {
    await fill('PAN', pan);
    await fill('Date of birth', '1990-04-21');
    await page.getByLabel('My PAN may be checked at the registry.').check();
    await press('Verify my PAN');
  }

  /** The step with the personal details, up to that of the account. */
  async function tellAbout(mother?: string): Promise<void> {
    expect(await axeViolations(page)).toEqual([]);
    for (const select of await page.getByRole('combobox').all()) await select.selectOption({ index: 1 });
    if (mother) await fill('Name of your mother', mother);
    await fill('Address', '12, Lake Road');
    await fill('City', 'Bengaluru');
    await page.getByLabel('State', { exact: true }).selectOption('KA');
    await fill('PIN code', '560001');
    for (const box of (await page.getByRole('checkbox').all()).slice(1)) await box.check();
    await press('Save');

    await heading('Your bank account').waitFor();
  }

  async function giveAccount(account: string): Promise<void> {
    await fill('Account number', account);
    await fill('IFSC', 'hdfc0001234');
    await press('Verify my account');
  }

  async function nameNominee(name: string): Promise<void> {
    await heading('Your nominee').waitFor();
    await fill('Name', name);
    await page.getByLabel('Relationship', { exact: true }).selectOption('SISTER');
    await fill('Date of birth', '1980-03-09');
    await press('Name this person');
  }

  it.each([
    ['Aravalli Finance', ''],
    ['Kaveri Small Finance Bank', '?issuer=kaveri'],
  ])('takes a person from the phone to a deposit that is ready to book: %s', async (issuer, search) => {
    const { phone, pan, email } = aPerson();
    await page.goto(origin + search);
    await page.getByRole('heading', { level: 1, name: issuer }).waitFor();
    await logIn(phone);
    await verifyPan(pan);

    await proveWho(email);
    await tellAbout(search ? 'Savitri Devi' : undefined);
    await expectFreeChoice();
    await giveAccount('501000121111');

    await heading('Your nominee').waitFor();
    await expectFreeChoice();
    await fill('Name', 'Meera Joshi');
    await page.getByLabel('Relationship', { exact: true }).selectOption('SISTER');
    await fill('Date of birth', `${new Date().getUTCFullYear() - 9}-03-09`);
    await press('Name this person');
    await page.getByLabel('Name of the guardian').waitFor();
    await expectFreeChoice();
    await fill('Name of the guardian', 'Savitri Joshi');
    await page.getByLabel('Relationship of the guardian to the nominee').selectOption('MOTHER');
    await fill('Date of birth of the guardian', '1980-03-09');
    await press('Name this person');
    await heading('Your deposit is ready to book.').waitFor();
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H2');
    expect(await axeViolations(page)).toEqual([]);
    await expectFreeChoice();

    await press('Log out');
    await heading('Your mobile number').waitFor();
  });

  it('shows a refusal beside the field, and continues after a correction', async () => {
    const { phone, pan } = aPerson();
    await fill('Mobile number', '12');
    await press('Send me a code');
    const field = page.getByLabel('Mobile number');
    await eventually(async () => expect(await field.getAttribute('aria-invalid')).toBe('true'));
    expect(await page.getByRole('alert').textContent()).toMatch(/Reference for support/);
    await logIn(phone);
    // the registry does not know this PAN
    await verifyPan(`${pan.slice(0, 5)}0404${pan.slice(-1)}`);
    await page.getByRole('alert').waitFor();
    await verifyPan(pan);
    await heading('Prove who you are').waitFor();
  });

  it('asks for the code in an empty, focused field, again once a new code is sent', async () => {
    const { phone } = aPerson();
    const code = page.getByLabel('Code', { exact: true });
    const isFocused = () =>
      eventually(async () => expect(await page.locator(':focus').getAttribute('name')).toBe('otp'));
    await fill('Mobile number', `${phone.slice(0, -1)}2`);
    await press('Send me a code');
    await isFocused();
    await press('Use another number');
    await fill('Mobile number', phone);
    await press('Send me a code');
    await isFocused();
    await page.getByLabel('I agree to the terms of use.').check();
    for (const left of [4, 3, 2, 1, 0]) {
      await code.fill('000000');
      await press('Log in');
      await page.getByText(`Tries left: ${left}.`).waitFor();
      await marked(['Code']);
      await isFocused();
    }
    await press('Send a new code');
    await page.getByRole('status').getByText('A new code is on its way.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await isFocused();
    expect(await code.inputValue()).toBe('');
    expect(await axeViolations(page)).toEqual([]);
    await code.fill(await codeFor(phone));
    await press('Log in');
    await heading('Your PAN').waitFor();
  });

  it('shows beside each field of an empty form its own problem, beside what is not agreed to as well', async () => {
    const { phone, pan, email } = aPerson();
    await fillInCode(phone);
    await press('Log in');
    await marked(['I agree to the terms of use.']);
    await page.getByLabel('I agree to the terms of use.').check();
    await press('Log in');
    await heading('Your PAN').waitFor();
    await press('Verify my PAN');
    await marked(['PAN', 'Date of birth', 'My PAN may be checked at the registry.']);
    await verifyPan(pan);
    await proveWho(email);
    await press('Save');
    const statements = (await page.getByRole('checkbox').all()).slice(2);
    expect(statements).toHaveLength(2);
    const labels = await Promise.all(statements.map((box) => box.locator('..').textContent()));
    await marked([
      ...['Gender', 'Marital status', 'Occupation', 'Income in a year', 'Source of the money'],
      ...['Address', 'City', 'State', 'PIN code'],
      ...labels.map((label) => label!.trim()),
    ]);
    expect(await page.getByRole('alert').textContent()).toMatch(/^Correct the marked fields\./);
    expect(await page.locator(':focus').getAttribute('name')).toBe('gender');
    expect(await axeViolations(page)).toEqual([]);
  });

  it('says whom a slow call waits for, and later what to do', async () => {
    const { phone, pan } = aPerson();
    await logIn(phone);
    const payload = { verification_id: 'v1', pending_code: 'SVCUSER2210' };
    await page.route(/\/pan-verification/, (route) =>
      route.fulfill({ status: 202, json: { success: true, payload } }),
    );
    await verifyPan(pan);
    const awaited = page.getByRole('status');
    await awaited.getByText('We wait for the PAN registry. The page goes on by itself.').waitFor();
    expect(await page.evaluate('document.activeElement.getAttribute("role")')).toBe('status');
    await page.clock.fastForward(30_000);
    await awaited.getByText('You can wait here, or close the page and log in again later').waitFor();
  });

  it('corrects a nominee with the name of the person, who blocks the booking', async () => {
    const { phone, pan, email } = aPerson();
    await logIn(phone);
    const [verified] = await Promise.all([page.waitForResponse(/pan-verification$/), verifyPan(pan)]);
    const { payload } = (await verified.json()) as { payload: { full_name: string } };
    await proveWho(email);
    await tellAbout();
    await giveAccount('501000121112');
    await nameNominee(payload.full_name);
    await heading('Something is still missing').waitFor();
    await press('Correct it: nominee');
    await nameNominee('Meera Joshi');
    await heading('Your deposit is ready to book.').waitFor();
  });

  it('offers a review of a name that differs, and the nominee meanwhile', async () => {
    const { phone, pan, email } = aPerson();
    await logIn(phone);
    await verifyPan(pan);
    await proveWho(email);
    await tellAbout();
    await giveAccount('501000121055');
    const askForReview = page.getByLabel('The account is mine: let a person compare the names.');
    await askForReview.waitFor();
    await expectFreeChoice();
    await askForReview.check();
    await press('Verify my account');
    const review = page.getByRole('status').getByText('A person compares the names of your bank account');
    await review.waitFor();
    await nameNominee('Meera Joshi');
    await eventually(async () => expect(await page.getByRole('heading', { level: 2 }).count()).toBe(0));
    await review.waitFor();
  });

  it('shows a refusal that is not about the code above the button', async () => {
    const { phone } = aPerson();
    await fillInCode(phone);
    const item = { errorCode: 'SVCUSER2304', f_error_message: 'You withdrew your consent.' };
    await page.route('**/register/verify', (route) =>
      route.fulfill({ status: 400, json: { error: [item] } }),
    );
    await press('Log in');
    await page.getByRole('alert').getByText('You withdrew your consent.').waitFor();
    await marked([]);
  });

  it('leads from the PAN of another user to the eKYC', async () => {
    const { pan, ...first } = aPerson();
    await logIn(first.phone);
    await verifyPan(pan);
    await heading('Prove who you are').waitFor();
    await press('Log out');
    const second = aPerson();
    await logIn(second.phone);
    await verifyPan(pan);
    await press('It is mine: go on to the eKYC');
    await proveWho(second.email);
  });

  it('reads the journey again after a lost answer, and says that the session has ended', async () => {
    const { phone, pan } = aPerson();
    await logIn(phone);
    await page.route('**/v1/journey', (route) => route.abort());
    await verifyPan(pan);
    await page.getByRole('alert').getByText('No answer came.').waitFor();
    await page.unroute('**/v1/journey');
    await press('Try again');
    await heading('Prove who you are').waitFor();
    await page.route('**/check-status', (route) => route.fulfill({ status: 401, json: {} }));
    await page.route('**/token/refresh', (route) => route.fulfill({ status: 401, json: {} }));
    await press('Begin eKYC');
    await page.getByRole('status').getByText('Your session has ended.').waitFor();
    await heading('Your mobile number').waitFor();
  });

  it('sends the state of an eKYC that came back in another tab, of its own session', async () => {
    const { phone, pan } = aPerson();
    await page.addInitScript(`
      const fill = crypto.getRandomValues.bind(crypto);
      crypto.getRandomValues = (bytes) => {
        fill(bytes);
        window.sessionName ??= Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
        return bytes;
      };`);
    await page.goto(origin);
    await logIn(phone);
    await verifyPan(pan);
    await heading('Prove who you are').waitFor();
    await press('Begin eKYC');
    await page.getByRole('link', { name: 'Open the eKYC page' }).waitFor();
    const state = 's'.repeat(43);
    // Chromium shows no body of a call that was made with a Request
    const bodies: string[] = [];
    await page.exposeFunction('noteBody', (body: string) => void bodies.push(body));
    await page.evaluate(
      `const call = window.fetch;
       window.fetch = async (request, init) => {
         await window.noteBody(new URL(request.url).pathname + ' ' + (await request.clone().text()));
         return call(request, init);
       };`,
    );
    const own = await page.evaluate('window.sessionName');
    const tab = await page.context().newPage();
    await tab.goto(`${origin}/?back=ekyc&session=another&ekyc_state=of-another-tab`);
    await tab.getByRole('heading', { name: 'Go back to the other tab' }).waitFor();
    await tab.goto(`${origin}/?back=ekyc&session=${String(own)}&ekyc_state=${state}`);
    await tab.getByRole('heading', { name: 'Go back to the other tab' }).waitFor();
    expect([await pressuresOn(tab), await axeViolations(tab)]).toEqual([[], []]);
    await eventually(() =>
      expect(bodies).toContainEqual(
        expect.stringMatching(new RegExp(`/check-status .*"ekyc_state":"${state}"`)),
      ),
    );
    expect(bodies.join()).not.toContain('of-another-tab');
  });

  // last: the clock of the services stays ahead
  it("asks after a long pause whether the account is still the person's, and can start anew", async () => {
    const { phone, pan } = aPerson();
    await logIn(phone);
    await verifyPan(pan);
    await heading('Prove who you are').waitFor();
    await press('Log out');
    const passMonth = () =>
      fetch(`${product.sandbox}/api/clock`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ advance_seconds: 32 * 86_400 }),
      });
    expect((await passMonth()).status).toBe(200);
    const logInAgain = async () => {
      await fillInCode(phone);
      await page.getByLabel('I agree to the terms of use.').check();
      await press('Log in');
      await heading('Is this your account?').waitFor();
      await expectFreeChoice('It is mine');
    };
    await logInAgain();
    await fill('PAN', 'ABCPK1234Z');
    await fill('Date of birth', '1990-04-21');
    await press('It is mine');
    await page.getByRole('alert').waitFor();
    await fill('PAN', pan);
    await press('It is mine');
    await heading('Prove who you are').waitFor();
    await press('Log out');
    expect((await passMonth()).status).toBe(200);
    await logInAgain();
    await press('Log out');
    await logInAgain();
    // a new account is begun, but the answer is lost: the session of the former one has ended
    const lost = async (route: Route): Promise<void> => {
      await route.fetch();
      await route.abort();
    };
    await page.route('**/start-anew', lost, { times: 1 });
    await press('The number is newly mine: begin a new account');
    await page.getByRole('status').getByText('Your session has ended.').waitFor();
    await logIn(phone);
  });
});
