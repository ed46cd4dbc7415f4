/** Results, and the logs that they may be run on again. */
export const BACKTEST_KEPT_MS = 30 * 86_400_000;
export const BACKTEST_LOG_KEPT_MS = 7 * 86_400_000;
/** An upload that was not ended. */
export const UNENDED_LOG_KEPT_MS = 3_600_000;
/** Of all logs together, in bytes. */
export const BACKTEST_LOGS_MAX = 1_073_741_824;
/** Not yet ended, of everybody. */
export const BACKTESTS_WAITING_MAX = 20;
