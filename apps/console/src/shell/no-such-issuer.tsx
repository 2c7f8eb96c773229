interface NoSuchIssuerProps {
  /** The issuer in the address. */
  readonly issuer: string;
  /** Known issuers with the address of the same view. */
  readonly known: readonly { readonly name: string; readonly href: string }[];
}

/** Reports that the issuer in the address does not exist, and links the known ones. */
export function NoSuchIssuer({ issuer, known }: NoSuchIssuerProps) {
  return (
    <div class="notice bad" role="alert">
      <p class="notice-title">There is no issuer “{issuer}”</p>
      <p>Choose one of these:</p>
      <ul class="known-issuers">
        {known.map(({ name, href }) => (
          <li key={href}>
            <a href={href}>{name}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}
