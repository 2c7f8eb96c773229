/** Focuses the panel of the current step, which stays when a pressed button of it disappears. */
export const focusPanel = (): void =>
  document.querySelector<HTMLElement>('.step-panel')?.focus({ preventScroll: true });
