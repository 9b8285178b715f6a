"""What all tests have in common: texts are 100 columns wide, whoever runs them in whichever terminal."""

import os

os.environ["COLUMNS"] = "100"
