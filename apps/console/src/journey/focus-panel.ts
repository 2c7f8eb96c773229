/** Focuses the panel of the current step, which stays when a pressed button of it disappears. */
export const focusPanel = (): void =>
  document.querySelector<HTMLElement>('.step-panel')?.focus({ preventScroll: true });

/** The field of a code in the form of the current step, if it is empty: only the person can fill it. */
export function emptyCodeField(): HTMLInputElement | null {
  const field = document.querySelector<HTMLInputElement>('.step-panel form #field-otp');
  return field?.value === '' ? field : null;
}
