"""One module per question a user asks: scores in, a result out."""
