import type { Page } from 'playwright-core';

/** Boxes that are ticked, and windows that a person has to close first. */
const TICKED_OR_IN_THE_WAY =
  ':is([type=checkbox], [type=radio]):checked, dialog[open], [role=dialog], [role=alertdialog], [role=timer]';

/** Returns the elements with a text of their own; the browser runs it. */
const withText = (root: Element): [Element, string][] =>
  [root, ...root.querySelectorAll('*')]
    .filter((one) => [...one.childNodes].some(({ nodeType }) => nodeType === Node.TEXT_NODE))
    .map((one) => [one, one.textContent ?? '']);

/** Returns the texts that are the same as before except for a number that has fallen; the browser runs it. */
function fallen(before: [Element, string][]): string[] {
  const numbers = (text: string): number[] => (text.match(/\d+/g) ?? []).map(Number);
  return before.flatMap(([one, text]) => {
    const now = one.textContent ?? '';
    const isSame = now.replace(/\d+/g, '') === text.replace(/\d+/g, '');
    return isSame && numbers(now).some((number, at) => number < numbers(text)[at]!) ? [now] : [];
  });
}

/**
 * Returns what decides for the person or presses: boxes that are ticked beforehand, windows in the way, and countdowns. Moves the
 * clock of the page by two seconds, so `page.clock.install()` must have come before the page.
 * @param within a selector
 */
export async function pressuresOn(page: Page, within = 'body'): Promise<string[]> {
  const part = page.locator(within);
  const decided = await part
    .locator(TICKED_OR_IN_THE_WAY)
    .evaluateAll((all) => all.map(({ outerHTML }) => outerHTML.slice(0, 160)));
  const before = await part.evaluateHandle(withText);
  await page.clock.fastForward(2_000);
  // the page draws what its timers have changed
  await page.evaluate(() => new Promise((drawn) => setTimeout(drawn, 50)));
  return [...decided, ...(await before.evaluate(fallen)).map((text) => `counts down: ${text}`)];
}
