"""The results column: verdict, key figures, charts, Explain and what to check before promising."""
