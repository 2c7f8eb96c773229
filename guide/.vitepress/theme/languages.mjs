// Code in several languages: the language that a reader chooses in one place is shown in all, also on later pages and visits.

const KEY = 'code-language';
const INPUTS = '.vp-code-group input';
const languageOf = (input) => input.labels[0].dataset.title;

/** Shows the chosen language wherever the page has code in it. */
export function showChosenLanguage() {
  const chosen = localStorage.getItem(KEY);
  for (const input of document.querySelectorAll(INPUTS)) {
    if (languageOf(input) !== chosen) continue;
    const group = input.closest('.vp-code-group');
    const index = [...group.querySelectorAll('input')].indexOf(input);
    input.checked = true;
    // as the theme does after a click, without its scrolling to the tab
    for (const [at, block] of [...group.querySelector('.blocks').children].entries())
      block.classList.toggle('active', at === index);
  }
}

/** Keeps the language of each tab that the reader chooses. */
export function keepChosenLanguage() {
  document.addEventListener('change', ({ target }) => {
    if (!target.matches(INPUTS)) return;
    const { top } = target.getBoundingClientRect();
    localStorage.setItem(KEY, languageOf(target));
    showChosenLanguage();
    // code above has become longer or shorter: the tab stays under the reader's eyes
    globalThis.scrollBy(0, target.getBoundingClientRect().top - top);
  });
}
