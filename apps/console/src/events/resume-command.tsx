import { CopyButton } from '../shell/copy-button.js';

/** The command of an operator that lets all waiting events be sent at once. */
export function ResumeCommand({ partnerUrl }: { readonly partnerUrl: string }) {
  const command = `npx fd events resume --url ${partnerUrl} --by you --reason DEVELOPMENT`;
  return (
    <p class="copied-value">
      <code>{command}</code>
      <CopyButton text={command} label="Copy the command">
        Copy
      </CopyButton>
    </p>
  );
}
