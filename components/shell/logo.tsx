/** A gate lifted between two posts, water running under it. */
export function Logo() {
  return (
    <svg
      viewBox="0 0 24 24"
      width="22"
      height="22"
      fill="none"
      aria-hidden="true"
      className="shrink-0"
    >
      <path d="M4 3v18M20 3v18" className="stroke-text" strokeWidth="2.25" strokeLinecap="round" />
      <rect x="7.25" y="4" width="9.5" height="6.5" rx="1" className="fill-accent-solid" />
      <path
        d="M7 15c1.25-1.4 2.5-1.4 3.75 0s2.5 1.4 3.75 0c.9-1 1.7-1.3 2.5-.9M7 19.25c1.25-1.4 2.5-1.4 3.75 0s2.5 1.4 3.75 0c.9-1 1.7-1.3 2.5-.9"
        className="stroke-accent"
        strokeWidth="1.75"
        strokeLinecap="round"
      />
    </svg>
  );
}
